"""YAML with line numbers: plain data, and for every place in it the file and line it came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from notebook_bcc_ext.errors import BccError
from notebook_bcc_ext.protocol.nesting import MAX_DEPTH, too_deep

Place = tuple[str | int, ...]
_MAX_NODES = 50_000
# libyaml is ten times quicker; not every build of PyYAML has it.
_LOADER = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader


class PlaybookError(BccError):
    """A playbook that cannot be used. The message holds one finding per line."""

    def __init__(self, findings: list[str]) -> None:
        self.findings = findings
        super().__init__("\n".join(findings))


@dataclass(frozen=True)
class Origin:
    file: Path
    line: int

    def __str__(self) -> str:
        return f"{self.file.name}:{self.line}"


@dataclass
class Source:
    """A YAML document as data. `origins` knows where each place was written."""

    data: Any
    origins: dict[Place, Origin] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)
    """What is wrong with it so far, one line each."""

    def origin(self, place: Place) -> Origin:
        """Where the place was written; for an absent key, where its owner was."""
        for length in range(len(place), -1, -1):
            if place[:length] in self.origins:
                return self.origins[place[:length]]
        return Origin(Path("playbook"), 1)

    def graft(self, place: Place, other: Source) -> None:
        """Take another document in at this place."""
        owner = self.data
        for key in place[:-1]:
            owner = owner[key]
        owner[place[-1]] = other.data
        self.findings += other.findings
        self.origins.update({(*place, *inner): origin for inner, origin in other.origins.items()})


def read_source(path: Path, content: bytes) -> Source:
    """Raises PlaybookError when the content is not YAML."""
    try:
        text = content.decode("utf-8")
        _refuse_depth(path, text)
        loader = _LOADER(text)
        node = loader.get_single_node()
    except UnicodeDecodeError:
        raise PlaybookError([f"{path.name}:1: not UTF-8 text; save the file as UTF-8"]) from None
    except yaml.YAMLError as error:
        raise PlaybookError([_explain(path, error)]) from None
    if node is None:
        raise PlaybookError([f"{path.name}:1: the file is empty; a playbook begins with 'name:'"])
    reader = _Reader(path, loader)
    return Source(reader.build(node, ()), reader.origins, reader.findings)


def _refuse_depth(path: Path, text: str) -> None:
    """Nodes are built by recursion, in C: what is nested without end must not get there."""
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            line = event.start_mark.line + 1
            raise PlaybookError([f"{path.name}:{line}: {too_deep()}"])


def _explain(path: Path, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    line = mark.line + 1 if mark else 1
    problem = getattr(error, "problem", None) or str(error)
    return f"{path.name}:{line}: not valid YAML: {problem}"


class _Reader:
    def __init__(self, path: Path, loader: yaml.SafeLoader | yaml.CSafeLoader) -> None:
        self._path = path
        self._loader = loader
        self._nodes = 0
        self.origins: dict[Place, Origin] = {}
        self.findings: list[str] = []

    def build(self, node: yaml.Node, place: Place) -> Any:
        self._nodes += 1
        line = node.start_mark.line + 1
        # An alias may be deeper than what was written.
        if len(place) > MAX_DEPTH:
            raise PlaybookError([f"{self._path.name}:{line}: {too_deep()}"])
        if self._nodes > _MAX_NODES:
            raise PlaybookError([f"{self._path.name}:{line}: more than {_MAX_NODES:,} values"])
        self.origins.setdefault(place, Origin(self._path, line))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, place)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, (*place, index)) for index, item in enumerate(node.value)]
        if node.tag == "tag:yaml.org,2002:timestamp":
            return node.value
        try:
            return self._loader.construct_object(node)
        except (yaml.YAMLError, ValueError) as error:
            raise PlaybookError([f"{self._path.name}:{line}: {error}"]) from None

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else "?"
            if key in result:
                self.findings.append(f"{self._path.name}:{line}: the key '{key}' is given twice")
                continue
            # A key's line is where people look, also when its value starts further down.
            self.origins[(*place, key)] = Origin(self._path, line)
            result[key] = self.build(value_node, (*place, key))
        return result
