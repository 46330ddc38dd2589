"""Secrets in texts that are kept, shown or sent: blanked, in each form they may have there (P9)."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote

BLANK = "***"
# A shorter "secret" would blank half of every text, and protects nothing.
_SHORTEST_SECRET = 4
# In what is acted on, where a blank changes code that runs, also words of everyday are spared.
_SHORTEST_IN_TEXTS = 8
_QUOTED_TIMES = 3


class Redactor:
    """Blanks secrets in any text, in each form that a service or code may give them."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {
            form
            for secret in secrets
            if len(secret) >= _SHORTEST_SECRET
            for form in (*_as_json(secret), quote(secret, safe=""), quote(secret))
        }
        # Longest first: a secret that contains another one is blanked as a whole.
        self._forms = sorted(forms, key=len, reverse=True)
        self._long_forms = [form for form in self._forms if len(form) >= _SHORTEST_IN_TEXTS]

    @property
    def has_secrets(self) -> bool:
        return bool(self._long_forms)

    @property
    def longest(self) -> int:
        return max((len(form.encode()) for form in self._forms), default=0)

    def __call__(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, BLANK)
        return text

    def excerpt(self, text: str) -> str:
        """Of a text that was cut before: half a secret at its end is still half a secret."""
        text = self(text)
        for form in self._forms:
            for length in range(len(form) - 1, _SHORTEST_SECRET - 1, -1):
                if text.endswith(form[:length]):
                    return text[:-length] + BLANK
        return text

    def in_answer(self, value: Any) -> Any:
        """A decoded answer without them: what a planner repeats must not get into cells."""
        return _mapped(value, self._without_forms) if self._long_forms else value

    def in_observation(self, value: Any) -> Any:
        """What is told of the kernel and the notebook, where long texts were cut, without them."""
        return _mapped(value, self._without_pieces) if self._long_forms else value

    def _without_forms(self, text: str) -> str:
        for form in self._long_forms:
            text = text.replace(form, BLANK)
        return text

    def _without_pieces(self, text: str) -> str:
        text = self._without_forms(text)
        for form in self._long_forms:
            text = _without_beginning(text, form)
            text = _without_beginning(text[::-1], form[::-1])[::-1]
        return text


def _as_json(secret: str) -> list[str]:
    """As it is, and in JSON: code that quotes it stands quoted in an answer, and so on."""
    forms = [secret]
    for _ in range(_QUOTED_TIMES):
        forms.append(json.dumps(forms[-1])[1:-1])
    return forms


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {_mapped(key, change): _mapped(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    return value


def _without_beginning(text: str, form: str) -> str:
    """Half a secret, or more of it, is still a secret: a long text may have been cut inside it."""
    half = max(_SHORTEST_IN_TEXTS, len(form) // 2)
    while (start := text.find(form[:half])) != -1:
        end = start + half
        while end < len(text) and text[end : end + 1] == form[end - start : end - start + 1]:
            end += 1
        text = text[:start] + BLANK + text[end:]
    return text


def basic_credentials(userinfo: str) -> str:
    return base64.b64encode(userinfo.encode()).decode()


def parts_of_userinfo(userinfo: str) -> list[str]:
    """What must be blanked of `user:password`."""
    return [userinfo, basic_credentials(userinfo), userinfo.partition(":")[2]]
