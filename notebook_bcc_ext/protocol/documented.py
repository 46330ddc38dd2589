"""Models whose attribute docstrings are the descriptions of their JSON Schema.

pydantic's `use_attribute_docstrings` does the same when a class is made: it finds and parses the
source of each, a fifth of what importing the server extension costs. Nobody but a schema reads the
descriptions, so here they are looked up when one is made.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema


class DocumentedModel(BaseModel):
    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /
    ) -> JsonSchemaValue:
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for name, text in _descriptions(cls).items():
            if name in properties:
                properties[name].setdefault("description", text)
        return schema


def _descriptions(model: type[BaseModel]) -> dict[str, str]:
    """By the name in the schema; a field that is declared anew has the new text or none."""
    found: dict[str, str] = {}
    for owner in reversed(model.__mro__):
        if not issubclass(owner, BaseModel) or owner is BaseModel:
            continue
        texts = _texts_in(inspect.getfile(owner)).get(owner.__qualname__, {})
        for field in inspect.get_annotations(owner):
            info = model.model_fields.get(field)
            if info is not None:
                name = info.alias or field
                found.pop(name, None)
                if field in texts:
                    found[name] = texts[field]
    return found


@cache
def _texts_in(file: str) -> Mapping[str, Mapping[str, str]]:
    """The docstrings of all attributes of all classes of a file, each file parsed once."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return {node.name: dict(_attribute_texts(node)) for node in classes}


def _attribute_texts(node: ast.ClassDef) -> list[tuple[str, str]]:
    return [
        (before.target.id, inspect.cleandoc(after.value.value))
        for before, after in pairwise(node.body)
        if isinstance(before, ast.AnnAssign)
        and isinstance(before.target, ast.Name)
        and isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
        and isinstance(after.value.value, str)
    ]
