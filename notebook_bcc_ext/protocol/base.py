"""What all wire models share: spelling, tolerance for extra fields, clear errors, output form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import ConfigDict, ValidationError, model_validator

from notebook_bcc_ext.errors import MissingFieldError, ProtocolError
from notebook_bcc_ext.protocol.documented import DocumentedModel
from notebook_bcc_ext.protocol.spelling import normalise_keys


class WireModel(DocumentedModel):
    """A model of the wire: other spellings accepted, unknown fields kept.

    `parse` and `to_wire` are the way in and out. `to_wire` writes what was set, so that a
    message that passes through comes out with the same fields.
    """

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _accept_spellings(cls, raw: Any) -> Any:
        if not isinstance(raw, Mapping):
            return raw
        fields = normalise_keys(cls.__name__, cls.model_fields, raw)
        return {key: value for key, value in fields.items() if not cls._is_absent(key, value)}

    @classmethod
    def _is_absent(cls, key: str, value: object) -> bool:
        """Planners write `null` for "nothing here"; where null is no value, it means absent."""
        if value is not None or key not in cls.model_fields:
            return False
        field = cls.model_fields[key]
        return not field.is_required() and field.default is not None

    @classmethod
    def parse(cls, raw: object) -> Self:
        try:
            return cls.model_validate(raw)
        except ValidationError as error:
            raise explain(error, cls.__name__) from None

    def to_wire(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


class BrowserModel(DocumentedModel):
    """A message between our server and our browser code: strict, and every field is present."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)


def explain(error: ValidationError, model: str) -> ProtocolError:
    """The first finding of pydantic as one sentence that names model and field."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        return MissingFieldError(model, place)
    got = _shorten(repr(first.get("input")))
    where = f"field '{place}'" if place else "the value"
    return ProtocolError(f"{model}: {where} is not valid: {first['msg']} (got {got})")


def _shorten(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
