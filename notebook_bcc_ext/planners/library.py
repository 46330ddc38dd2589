"""Which playbooks there are: the shipped ones, and files that were named explicitly."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from notebook_bcc_ext.errors import NotFoundError
from notebook_bcc_ext.planners.loader import load_playbook
from notebook_bcc_ext.planners.playbook import Playbook

SHIPPED = Path(__file__).parent / "playbooks"
SUFFIXES = (".yaml", ".yml")


class PlaybookLibrary:
    """Loads playbooks by name or path, and again when the main file changed.

    `allow_paths` lets a name be the path of any playbook file. A service that strangers can
    reach keeps it off and lists its files in `files`.
    """

    def __init__(self, files: Iterable[Path] = (), *, allow_paths: bool = False) -> None:
        self._files = [Path(file).resolve() for file in files]
        self._allow_paths = allow_paths
        self._loaded: dict[Path, tuple[float, Playbook]] = {}

    def names(self) -> list[str]:
        return sorted(self._by_name())

    def get(self, name: str) -> Playbook:
        """Raises NotFoundError, or PlaybookError when the file is not a valid playbook."""
        path = self._by_name().get(name)
        if path is None and name.endswith(SUFFIXES):
            wanted = Path(name).resolve()
            if wanted.is_file() and (self._allow_paths or wanted in self._files):
                path = wanted
        if path is None:
            known = ", ".join(self.names())
            raise NotFoundError(f"there is no playbook '{name}' (there is: {known})")
        return self._load(path)

    def describe(self, language: str = "en") -> list[dict[str, Any]]:
        """Name, title, description and variables of each, for lists and forms."""
        return [describe(self.get(name), language) for name in self.names()]

    def _by_name(self) -> dict[str, Path]:
        shipped = {path.stem: path for path in sorted(SHIPPED.glob("*.yaml"))}
        return {**shipped, **{path.stem: path for path in self._files}}

    def _load(self, path: Path) -> Playbook:
        changed = path.stat().st_mtime
        known = self._loaded.get(path)
        if known is None or known[0] != changed:
            known = (changed, load_playbook(path, check_code=path.parent != SHIPPED))
            self._loaded[path] = known
        return known[1]


def describe(playbook: Playbook, language: str = "en") -> dict[str, Any]:
    def text(local: dict[str, str]) -> str:
        return local.get(language) or next(iter(local.values()))

    return {
        "name": playbook.name,
        "title": text(playbook.title),
        "description": text(playbook.description),
        "variables": {
            name: {
                "description": text(variable.description),
                "required": variable.required,
                "default": variable.default,
            }
            for name, variable in playbook.variables.items()
        },
        "stages": [
            {"id": stage.id, "name": text(stage.name), "steps": [step.id for step in stage.steps]}
            for stage in playbook.stages
        ],
    }


def playbook_schema() -> dict[str, Any]:
    """The JSON Schema of the format. A stage may also be the path of a file that holds it."""
    schema = Playbook.model_json_schema()
    stages = schema["properties"]["stages"]
    stages["items"] = {"anyOf": [stages["items"], {"type": "string", "pattern": r"\.ya?ml$"}]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
