"""Which playbooks there are: shipped, in folders, and files that were named explicitly."""

# ruff: noqa: PLC0415  what reads and checks a whole playbook is imported when one is wanted: a list
# of titles is printed sooner than that is there.

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from jupyter_core.paths import jupyter_path

from notebook_bcc_ext.errors import NotFoundError
from notebook_bcc_ext.planners.files import SUFFIXES
from notebook_bcc_ext.planners.source import PlaybookError, read_source

if TYPE_CHECKING:
    from notebook_bcc_ext.planners.playbook import Playbook

SHIPPED = Path(__file__).parent / "playbooks"
MAX_LISTED = 200
"""Files of a folder that are looked at."""


def default_folders() -> list[Path]:
    """`notebook-bcc/playbooks` in each of Jupyter's data folders; the person's own comes first."""
    return [Path(folder) for folder in jupyter_path("notebook-bcc", "playbooks")]


class PlaybookLibrary:
    """Loads playbooks by name or path, and again when the main file changed.

    `folders` hold further ones; those that are shipped keep their names. `allow_paths` lets a name
    be the path of any playbook file. A service that strangers can reach keeps it off and lists its
    files in `files`.
    """

    def __init__(
        self,
        files: Iterable[Path] = (),
        *,
        folders: Iterable[Path] = (),
        allow_paths: bool = False,
        given: Mapping[str, Playbook] = MappingProxyType({}),
    ) -> None:
        self._files = [Path(file).resolve() for file in files]
        self._folders = [Path(folder).expanduser().resolve() for folder in folders]
        self._allow_paths = allow_paths
        self._loaded: dict[Path, tuple[float, Playbook]] = {}
        self._given = given

    def also(self, name: str, playbook: Playbook) -> PlaybookLibrary:
        """The same with one that was loaded elsewhere."""
        return PlaybookLibrary(
            self._files,
            folders=self._folders,
            allow_paths=self._allow_paths,
            given={**self._given, name: playbook},
        )

    def names(self) -> list[str]:
        return sorted({*self._by_name(), *self._given})

    def get(self, name: str) -> Playbook:
        """Raises NotFoundError, or PlaybookError when the file is not a valid playbook."""
        if name in self._given:
            return self._given[name]
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
        """Name, title, description and variables of each, for lists and forms; the shipped ones
        first. One that is not valid is left out: `playbooks check` says what is wrong with it."""
        found = []
        for name in self._in_order():
            with suppress(PlaybookError, OSError):
                found.append({**describe(self.get(name), language), "name": name})
        return found

    def titles(self, language: str = "en") -> Iterator[tuple[str, str, str]]:
        """Name, title and description of the same ones. What is shipped is not checked again."""
        shipped = self._shipped()
        for name in self._in_order():
            with suppress(PlaybookError, OSError):
                if name in shipped:
                    head = read_source(shipped[name], shipped[name].read_bytes()).data
                    title, description = head["title"], head["description"]
                else:
                    playbook = self.get(name)
                    title, description = playbook.title, playbook.description
                yield name, _in_language(title, language), _in_language(description, language)

    def _in_order(self) -> list[str]:
        shipped = self._shipped()
        return sorted(self.names(), key=lambda one: (one not in shipped, one))

    def _shipped(self) -> dict[str, Path]:
        return {path.stem: path for path in sorted(SHIPPED.glob("*.yaml"))}

    def _by_name(self) -> dict[str, Path]:
        own = [file for folder in self._folders for file in _playbooks_in(folder)]
        found = {path.stem: path for path in (*reversed(own), *self._files)}
        return {**found, **self._shipped()}

    def _load(self, path: Path) -> Playbook:
        from notebook_bcc_ext.planners.loader import load_playbook

        changed = path.stat().st_mtime
        known = self._loaded.get(path)
        if known is None or known[0] != changed:
            known = (changed, load_playbook(path, check_code=path.parent != SHIPPED))
            self._loaded[path] = known
        return known[1]


def _playbooks_in(folder: Path) -> list[Path]:
    try:
        files = sorted(folder.iterdir())
    except OSError:
        return []
    named = [one for one in files if one.suffix in SUFFIXES and not one.name.startswith(".")]
    return [one for one in named[:MAX_LISTED] if one.is_file()]


def describe(playbook: Playbook, language: str = "en") -> dict[str, Any]:
    def text(local: Mapping[str, str]) -> str:
        return _in_language(local, language)

    return {
        "name": playbook.name,
        "title": text(playbook.title),
        "description": text(playbook.description),
        "reads_goal": playbook.reads_goal,
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


def _in_language(local: Mapping[str, str], language: str) -> str:
    return local.get(language) or next(iter(local.values()))


def playbook_schema() -> dict[str, Any]:
    """The JSON Schema of the format. A stage may also be the path of a file that holds it."""
    from notebook_bcc_ext.planners.playbook import Playbook

    schema = Playbook.model_json_schema()
    stages = schema["properties"]["stages"]
    stages["items"] = {"anyOf": [stages["items"], {"type": "string", "pattern": r"\.ya?ml$"}]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
