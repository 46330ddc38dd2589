"""A measurement beside its target, so that a reader sees at once whether it is met."""

from __future__ import annotations


def at_most(what: str, target: float, measured: float, unit: str) -> None:
    _tell(what, f"≤ {target:g} {unit}", f"{measured:.2f} {unit}", met=measured <= target)


def at_least(what: str, target: float, measured: float, unit: str) -> None:
    _tell(what, f"≥ {target:g} {unit}", f"{measured:.2f} {unit}", met=measured >= target)


def _tell(what: str, target: str, measured: str, *, met: bool) -> None:
    verdict = "met" if met else "NOT MET"
    print(f"  {what:<44} target {target:<9} measured {measured:<11} {verdict}", flush=True)
