"""A measurement beside its target, so that a reader sees at once whether it is met."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Verdicts:
    rows: list[tuple[str, ...]] = field(
        default_factory=lambda: [("what", "target", "measured", "")]
    )

    def at_most(self, what: str, target: float, measured: float, unit: str) -> None:
        self._add(what, f"≤ {target:g} {unit}", f"{measured:.2f} {unit}", met=measured <= target)

    def at_least(self, what: str, target: float, measured: float, unit: str) -> None:
        self._add(what, f"≥ {target:g} {unit}", f"{measured:.2f} {unit}", met=measured >= target)

    def _add(self, *texts: str, met: bool) -> None:
        self.rows.append((*texts, "met" if met else "NOT MET"))

    def print(self) -> None:
        widths = [max(map(len, column)) for column in zip(*self.rows, strict=True)]
        for row in self.rows:
            texts = zip(row, widths, strict=True)
            print("  " + "  ".join(text.ljust(width) for text, width in texts).rstrip())
