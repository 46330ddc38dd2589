"""Chapters and sections: their numbers, their ids, and which is being written (A5, A6, O8)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from notebook_bcc_ext.protocol.planner.observation import SectionProgress


@dataclass(frozen=True)
class SectionsState:
    chapters: int = 0
    sections: int = 0
    current_id: str | None = None
    current_number: int | None = None
    completed: tuple[str, ...] = ()
    planned: tuple[str, ...] = ()
    said_by_planner: str | None = None
    """Some planners describe the section progress in words; then these are passed on."""

    def begun_anew(self) -> SectionsState:
        """None written yet; what the workflow plans stays planned."""
        return SectionsState(planned=self.planned)

    def next_chapter(self) -> tuple[int, str]:
        return self.chapters + 1, f"chapter-{self.chapters + 1}"

    def next_section(
        self, section_id: str | None = None, number: int | None = None
    ) -> tuple[int, str]:
        """A planner's own id and number win."""
        wanted = number if number is not None else self.sections + 1
        return wanted, section_id or f"section-{wanted}"

    def with_chapter(self, number: int) -> SectionsState:
        return replace(self, chapters=number)

    def with_section(self, number: int, section_id: str) -> SectionsState:
        """It is being written: the one before it is complete."""
        completed = self._completed(unless=section_id)
        return replace(
            self,
            sections=number,
            completed=completed,
            current_id=section_id,
            current_number=number,
        )

    def told(self, update: SectionProgress | str) -> SectionsState:
        if isinstance(update, str):
            return replace(self, said_by_planner=update)
        given = update.model_fields_set
        after = replace(self, said_by_planner=None)
        if "completed_sections" in given:
            after = replace(after, completed=tuple(update.completed_sections))
        if "all" in given:
            after = replace(after, planned=tuple(update.all))
        if "current_section_id" in given:
            current = update.current_section_id
            after = replace(after, completed=after._completed(unless=current), current_id=current)
        if "current_section_number" in given:
            after = replace(after, current_number=update.current_section_number)
        return after

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

    def _completed(self, unless: str | None) -> tuple[str, ...]:
        current = self.current_id
        if current is None or current == unless or current in self.completed:
            return self.completed
        return (*self.completed, current)
