"""The condition language of playbooks: small, safe, and never surprised by missing data.

    facts.rows > 0 and not facts.missing_cells == 0
    target in ["price", "label"] or produced("df")

Names are the variables of the observation (kernel and planner variables alike); `.name` and
`["name"]` look into objects. What is absent is null: it equals null, is false, and every
ordering with it is false. There is no arithmetic and no way to call Python.

    defined(x)               x is present and not null
    len(x)                   length of a text, list or object; 0 for anything else
    produced("name")         the kernel holds that variable, or it was reported as produced
    completed("step_id")     that step or stage is completed
    output_contains("text")  one of the current outputs contains that text
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from notebook_bcc_ext.errors import BccError

MAX_LENGTH = 1000
_MAX_DEPTH = 40
_CONSTANTS: Mapping[str, object] = {"true": True, "false": False, "null": None}
_ORDERINGS: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


class ConditionError(BccError):
    """A condition that cannot be read, or asks for something the language does not have."""


@dataclass(frozen=True)
class Facts:
    """What a condition can see of an observation."""

    variables: Mapping[str, object]
    produced: frozenset[str] = frozenset()
    completed: frozenset[str] = frozenset()
    outputs: tuple[str, ...] = field(default=())


FUNCTIONS: Mapping[str, Callable[[Facts, object], object]] = {
    "defined": lambda _, value: value is not None,
    "len": lambda _, value: len(value) if isinstance(value, str | list | dict) else 0,
    "produced": lambda facts, name: name in facts.produced or name in facts.variables,
    "completed": lambda facts, name: name in facts.completed,
    "output_contains": lambda facts, text: any(str(text) in output for output in facts.outputs),
}


@dataclass(frozen=True)
class Condition:
    """A parsed condition. `names` are the variables it reads."""

    source: str
    tree: ast.expr
    names: frozenset[str]

    def holds(self, facts: Facts) -> bool:
        return bool(_value(self.tree, facts))


@lru_cache(maxsize=1024)
def parse_condition(source: str) -> Condition:
    """Read a condition; raises ConditionError with a remedy, and nothing else."""
    if len(source) > MAX_LENGTH:
        raise ConditionError(f"the condition is longer than {MAX_LENGTH} characters; split it")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else "it is nested too deeply"
        raise ConditionError(f"'{source}' is not a condition: {reason}") from None
    _check(tree, 0)
    reserved = {*_CONSTANTS, *FUNCTIONS}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return Condition(source, tree, frozenset(used - reserved))


def _check(node: ast.expr, depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise ConditionError("the condition is nested too deeply; split it")
    for child in _children(node):
        _check(child, depth + 1)


def _children(node: ast.expr) -> list[ast.expr]:  # noqa: C901, PLR0911 - a case per node
    """The parts of an allowed node; anything else is refused."""
    match node:
        case ast.Constant(value=str() | int() | float() | bool() | None) | ast.Name():
            return []
        case ast.Attribute(value=value):
            return [value]
        case ast.Subscript(value=value, slice=ast.Constant(value=str() | int())):
            return [value]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return [operand]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
            return []
        case ast.BoolOp(values=values):
            return values
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return elements
        case ast.Compare(left=left, ops=ops, comparators=others):
            if any(isinstance(op, ast.Is | ast.IsNot) for op in ops):
                raise ConditionError("use '==' or '!=' instead of 'is'")
            return [left, *others]
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            return [argument]
        case ast.Call():
            known = ", ".join(f"{name}(…)" for name in FUNCTIONS)
            raise ConditionError(f"only these functions, each with one argument, exist: {known}")
        case _:
            kind = type(node).__name__
            raise ConditionError(
                f"'{kind}' is not part of the condition language "
                "(and, or, not, comparisons, in, names, a.b, a['b'], lists, literals)"
            )


def _value(node: ast.expr, facts: Facts) -> object:  # noqa: C901, PLR0911 - a case per node
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return _CONSTANTS[name] if name in _CONSTANTS else facts.variables.get(name)
        case ast.Attribute(value=owner, attr=key):
            return _item(_value(owner, facts), key)
        case ast.Subscript(value=owner, slice=ast.Constant(value=key)):
            return _item(_value(owner, facts), key)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, facts)
        case ast.UnaryOp(operand=ast.Constant(value=number)) if isinstance(number, int | float):
            return -number
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_value(part, facts) for part in parts)
        case ast.BoolOp(values=parts):
            return any(_value(part, facts) for part in parts)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [_value(element, facts) for element in elements]
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            return FUNCTIONS[name](facts, _function_argument(name, argument, facts))
        case ast.Compare(left=left, ops=ops, comparators=others):
            values = [_value(part, facts) for part in (left, *others)]
            pairs = zip(ops, values, values[1:], strict=False)
            return all(_compare(op, one, other) for op, one, other in pairs)
        case _:
            raise ConditionError(f"'{type(node).__name__}' is not part of the condition language")


def _function_argument(name: str, argument: ast.expr, facts: Facts) -> object:
    value = _value(argument, facts)
    by_name = name in ("produced", "completed")
    return str(value) if by_name else value


def _item(owner: object, key: object) -> object:
    if isinstance(owner, Mapping):
        return owner.get(key)
    if isinstance(owner, list) and isinstance(key, int) and -len(owner) <= key < len(owner):
        return owner[key]
    return None


def _compare(op: ast.cmpop, one: object, other: object) -> bool:
    match op:
        case ast.Eq():
            return bool(one == other)
        case ast.NotEq():
            return bool(one != other)
        case ast.In():
            return _contains(other, one)
        case ast.NotIn():
            return not _contains(other, one)
        case _:
            return _comparable(one, other) and bool(_ORDERINGS[type(op)](one, other))


def _comparable(one: object, other: object) -> bool:
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    return numbers or (isinstance(one, str) and isinstance(other, str))


def _contains(container: object, item: object) -> bool:
    if isinstance(container, str):
        return isinstance(item, str) and item in container
    if isinstance(container, list):
        return item in container
    return isinstance(container, Mapping) and isinstance(item, str) and item in container
