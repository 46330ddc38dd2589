"""Chapters and sections: their numbers, their ids, and which is being written (A5, A6, O8)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from notebook_bcc_ext.protocol.planner.observation import SectionProgress


@dataclass
class SectionTracker:
    chapters: int = 0
    sections: int = 0
    current_id: str | None = None
    current_number: int | None = None
    completed: list[str] = field(default_factory=list)
    planned: list[str] = field(default_factory=list)
    said_by_planner: str | None = None
    """Some planners describe the section progress in words; then these are passed on."""

    def copy(self) -> SectionTracker:
        return replace(self, completed=list(self.completed), planned=list(self.planned))

    def begun_anew(self) -> SectionTracker:
        """None written yet; what the workflow plans stays planned."""
        return SectionTracker(planned=list(self.planned))

    def new_chapter(self) -> tuple[int, str]:
        self.chapters += 1
        return self.chapters, f"chapter-{self.chapters}"

    def new_section(
        self, section_id: str | None = None, number: int | None = None
    ) -> tuple[int, str]:
        """Start a section: the one before it is complete. A planner's own id and number win."""
        self.sections = number if number is not None else self.sections + 1
        new_id = section_id or f"section-{self.sections}"
        self._complete_current(unless=new_id)
        self.current_id, self.current_number = new_id, self.sections
        return self.sections, new_id

    def apply(self, update: SectionProgress | str) -> None:
        if isinstance(update, str):
            self.said_by_planner = update
            return
        self.said_by_planner = None
        given = update.model_fields_set
        if "completed_sections" in given:
            self.completed = list(update.completed_sections)
        if "all" in given:
            self.planned = list(update.all)
        if "current_section_id" in given:
            self._complete_current(unless=update.current_section_id)
            self.current_id = update.current_section_id
        if "current_section_number" in given:
            self.current_number = update.current_section_number

    def view(self) -> SectionProgress | str | None:
        if self.said_by_planner is not None:
            return self.said_by_planner
        if self.current_id is None and not self.completed and not self.planned:
            return None
        return SectionProgress(
            current_section_id=self.current_id,
            current_section_number=self.current_number,
            completed_sections=list(self.completed),
            all=list(self.planned),
        )

    def _complete_current(self, unless: str | None) -> None:
        current = self.current_id
        if current is not None and current != unless and current not in self.completed:
            self.completed.append(current)
