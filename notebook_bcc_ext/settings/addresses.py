"""Addresses of services: which are the same one, what lies within it, and how they are shown."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

_USERINFO = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.-]*://)([^/?#]*)@")
_DECODED_AT_MOST = 5


class Address(NamedTuple):
    url: str
    userinfo: str | None = None


def split_userinfo(url: str) -> Address:
    """`http://user:password@host` as the address without them, and `user:password`."""
    found = _USERINFO.match(url)
    if found is None:
        return Address(url)
    return Address(found[1] + url[found.end() :], unquote(found[2]))


def without_userinfo(url: str) -> str:
    """The address as it may be shown: `user:password@` blanked, whatever else is wrong with it."""
    return re.sub(r"(?<=//)[^/?#\s]*@", "***@", url)


def origin_of(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port."""
    parts = urlsplit(url)
    default_port = 443 if parts.scheme == "https" else 80
    return parts.scheme, (parts.hostname or "").lower(), parts.port or default_port


def is_within(url: str, service: str) -> bool:
    """Whether `url` belongs to the service at that address: its origin, its path or below it.

    Of two services behind one host each has only its own path. One that cannot be read, or climbs
    out of where it seems to be, belongs to nobody.
    """
    try:
        same_origin = origin_of(url) == origin_of(service)
        parts, prefix = _segments(url), _segments(service)
    except ValueError:
        return False
    return same_origin and parts[: len(prefix)] == prefix and not any(map(_climbs, parts))


def _segments(url: str) -> list[str]:
    path = urlsplit(url.strip()).path.rstrip("/")
    return path.split("/")[1:]


def _climbs(segment: str) -> bool:
    for _ in range(_DECODED_AT_MOST):
        segment = unquote(segment)
    return segment in {".", ".."} or "/" in segment or "\\" in segment


def base_url(url: str) -> str:
    """The address of a service, checked. Raises ValueError with the reason."""
    parts = _split(url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("it must be an address such as http://localhost:28600")
    if parts.query or parts.fragment:
        raise ValueError("it must have no '?' or '#' part; keys belong into headers or a token")
    if "@" in parts.netloc:
        raise ValueError("it must hold no user name or password; use a token")
    return url.strip().rstrip("/")


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port  # a port out of range shows only when it is asked for
    except ValueError:
        raise ValueError("it is not a valid address") from None
    return parts
