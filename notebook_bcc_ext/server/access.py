"""Who may call what. The API adds no rights: whoever may not read notebooks in Jupyter sees nothing
of them in a run, and whoever may not write them and use kernels can have no run do it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

Method = TypeVar("Method", bound=Callable[..., Any])

CONTENTS = "contents"
KERNELS = "kernels"


def may_read_notebooks(method: Method) -> Method:
    return authorized("read", CONTENTS)(method)


def may_write_notebooks(method: Method) -> Method:
    return authorized("write", CONTENTS)(method)


def may_use_kernels(method: Method) -> Method:
    return authorized("write", KERNELS)(authorized("execute", KERNELS)(method))


def for_users(method: Method) -> Method:
    """What holds nothing of anybody's notebook."""
    return cast("Method", authenticated(authorized(method)))


def for_readers(method: Method) -> Method:
    return for_users(may_read_notebooks(method))


def for_writers(method: Method) -> Method:
    return for_users(may_write_notebooks(method))


def for_workers(method: Method) -> Method:
    """What decides about a run, now or later."""
    return for_readers(may_write_notebooks(may_use_kernels(method)))
