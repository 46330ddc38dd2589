"""The docstring of an attribute describes it in the JSON Schema, wherever it was declared."""

from pydantic import Field

from notebook_bcc_ext.protocol.documented import DocumentedModel


class Parent(DocumentedModel):
    name: str
    """What it is called.

    Two lines of it."""
    size: int = 0
    """How large it is."""
    plain: int = 0


class Child(Parent):
    size: int = 1
    colour: str = Field(default="", alias="color")
    """Its colour."""
    given: str = Field(default="", description="said by the field itself")
    """Not this."""


def test_the_descriptions_of_a_model_and_of_one_derived_from_it():
    parent = Parent.model_json_schema()["properties"]
    assert parent["name"]["description"] == "What it is called.\n\nTwo lines of it."
    assert parent["size"]["description"] == "How large it is."
    assert "description" not in parent["plain"]
    child = Child.model_json_schema()["properties"]
    described = {name: field.get("description") for name, field in child.items()}
    assert described == {
        "name": "What it is called.\n\nTwo lines of it.",
        "size": None,
        "plain": None,
        "color": "Its colour.",
        "given": "said by the field itself",
    }


def test_making_a_class_reads_no_source():
    assert Parent.model_fields["size"].description is None
