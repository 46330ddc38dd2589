"""The settings of the product (P1): names, defaults and allowed values.

Secrets (P9) are `SecretStr`: they show in no repr, no dump and no message. Credentials written
into the planner's address (`http://user:password@host`) are moved out of it on the way in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    SecretStr,
    model_validator,
)

from notebook_bcc_ext.protocol.browser.runs import ApprovalPolicy
from notebook_bcc_ext.settings.addresses import base_url, split_userinfo
from notebook_bcc_ext.settings.secrets import Redactor, parts_of_userinfo

DEFAULT_PLANNER_ADDRESS = "http://localhost:28600"
KIB = 1024
MIB = 1024 * KIB

# The names the protocol fixes for the environment; every other setting is `BCC_<NAME>` there.
_PLAIN_ENVIRONMENT_NAMES = frozenset(
    {
        "dslc_base_url",
        "backend_base_url",
        "notebook_id",
        "log_level",
        "max_execution_steps",
        "interactive_mode",
        "use_remote_execution",
    }
)
SECRET_SETTINGS = frozenset(
    {"planner_token", "planner_headers", "planner_userinfo", "backend_token"}
)
PLANNER_IDENTITY = (
    "dslc_base_url",
    "dialect",
    "planner_token",
    "planner_headers",
    "planner_userinfo",
)
"""Where a run's planner is, how it speaks, and who we are to it."""
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?")
# They frame the message itself: set by hand they would break every call.
_RESERVED_HEADERS = frozenset({"host", "content-length", "transfer-encoding", "connection"})


def _header_value(value: SecretStr) -> SecretStr:
    if not _HEADER_VALUE.fullmatch(value.get_secret_value()):
        raise ValueError("it must be printable ASCII on one line")
    return value


def _header_name(name: str) -> str:
    if not _HEADER_NAME.fullmatch(name) or name.lower() in _RESERVED_HEADERS:
        raise ValueError("it must be the name of a header that is free to set")
    return name


def _upper(value: object) -> object:
    text = value.strip().upper() if isinstance(value, str) else value
    return "WARNING" if text == "WARN" else text


BaseUrl = Annotated[str, AfterValidator(base_url)]
HeaderValue = Annotated[SecretStr, AfterValidator(_header_value)]
HeaderName = Annotated[str, AfterValidator(_header_name)]
LogLevel = Annotated[
    Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"], BeforeValidator(_upper)
]
Dialect = Literal["v2", "v1"]
APPROVALS: tuple[ApprovalPolicy, ...] = ("none", "updates", "behaviors", "code")
"""From the fewest questions to the most."""
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]


class Settings(BaseModel):
    """All settings, validated. Frozen: a change makes a new object, seen by the next run."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    dslc_base_url: BaseUrl | None = None
    """Address of the planner service; without one the embedded planner does the work."""
    dialect: Dialect = "v2"
    """How the planner service speaks: `v2` (/planning, /generating) or the older `v1`."""
    planner_token: HeaderValue | None = None
    """Sent to the planner as `Authorization: Bearer …`."""
    planner_headers: dict[HeaderName, HeaderValue] = Field(default_factory=dict)
    """Headers sent with every planner call."""
    planner_userinfo: SecretStr | None = None
    """`user:password` for the planner; filled from the address when it holds them."""
    stream: bool = True
    """Ask for actions line by line, so that each runs as it arrives."""

    backend_base_url: BaseUrl | None = None
    """Jupyter server or kernel gateway whose kernels a headless run uses."""
    backend_token: HeaderValue | None = None
    use_remote_execution: bool = False

    notebook_id: str | None = Field(default=None, max_length=4096)
    """The notebook a run works in when it names none."""
    log_level: LogLevel = "INFO"
    max_execution_steps: int = Field(default=0, ge=0)
    """Pause after this many actions; 0 means no limit."""
    max_planner_calls: int = Field(default=0, ge=0)
    """Pause after this many calls to the planner; 0 means no limit. So for the next two."""
    max_run_seconds: int = Field(default=0, ge=0)
    max_bytes_sent: int = Field(default=0, ge=0)
    interactive_mode: bool = False
    """Pause after every action."""
    approval: ApprovalPolicy = "updates"
    """What the person is asked before: updates, each behavior, each code cell, or nothing."""
    approve_plan: bool = False
    """Pause before the first stage, so that the person can approve the plan."""
    on_action_error: Literal["fail", "continue"] = "fail"
    strict_actions: bool = False
    """An action of unknown type is an error, not a warning."""
    custom_action_seconds: Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)] = 600.0
    """Longest time of an action or hook of another package; 0 means no limit."""
    kernel_start_timeout: Seconds = 60.0
    """Longest wait for a kernel to start and answer."""
    waiting_is_activity: bool = False
    """Whether a run that waits for its person keeps kernel and server from being culled."""
    cell_timeout: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """Longest time of one cell; 0 means no limit."""
    max_behaviors_per_step: int = Field(default=20, ge=1, le=10_000)
    max_debug_attempts: int = Field(default=3, ge=0, le=100)

    fsm_history_shown: int = Field(default=5, ge=0, le=1000)
    """How many transitions the planner is told."""
    notebook_cells: Literal["summary", "full"] = "summary"
    """What the planner is told of the notebook: its summary, or its recent cells as well."""
    notebook_cells_limit: int = Field(default=20, ge=0, le=1000)
    max_observation_bytes: int = Field(default=12 * KIB, ge=4 * KIB, le=16 * MIB)
    """How much the planner is told at most; what matters most comes first."""

    connect_timeout: Seconds = 10.0
    read_timeout: Seconds = 120.0
    """Longest wait for the beginning of an answer."""
    idle_timeout: Seconds = 120.0
    """Longest silence inside an answer."""
    total_timeout: Seconds = 900.0
    """Longest time one try may spend waiting for the planner."""
    planner_tries: int = Field(default=3, ge=1, le=10)
    retry_wait: Annotated[float, Field(ge=0, le=60, allow_inf_nan=False)] = 0.5
    """Seconds before the second try; doubled before each further one, with some jitter."""
    retry_wait_max: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)] = 30.0
    """Longest wait between two tries, also when the planner asks for a longer one."""

    max_answer_bytes: int = Field(default=32 * MIB, ge=KIB, le=1024 * MIB)
    max_line_bytes: int = Field(default=4 * MIB, ge=KIB, le=256 * MIB)
    max_actions_per_behavior: int = Field(default=1000, ge=1, le=100_000)
    call_record_bytes: int = Field(default=256 * KIB, ge=KIB, le=16 * MIB)
    """How much of each request and answer the call inspector keeps."""

    max_active_runs: int = Field(default=100, ge=1, le=10_000)
    """Runs of one server that are not at rest; a further one is refused."""
    keep_runs: int = Field(default=100, ge=1, le=10_000)
    """Runs at rest that the store remembers, the newest; one that is not at rest always stays."""
    keep_days: float = Field(default=180.0, gt=0, le=36_500, allow_inf_nan=False)
    """A run at rest, or a log, that nobody touched for so long leaves the store."""
    keep_calls: int = Field(default=500, ge=1, le=100_000)
    """Planner calls kept per run; the next two are per run too."""
    keep_call_bytes: int = Field(default=20_000_000, ge=KIB, le=1024 * MIB)
    keep_facts: int = Field(default=20_000, ge=1_000, le=10_000_000)
    """What happened in a run, in full; older facts are summed up."""
    max_store_bytes: int = Field(default=500_000_000, ge=MIB)
    """When the store is larger, its oldest runs at rest go."""

    _withheld: str | None = PrivateAttr(default=None)
    _others_secrets: tuple[SecretStr, ...] = PrivateAttr(default=())

    @model_validator(mode="before")
    @classmethod
    def _take_userinfo_out_of_the_address(cls, raw: object) -> object:
        url = raw.get("dslc_base_url") if isinstance(raw, Mapping) else None
        if not isinstance(url, str) or not isinstance(raw, Mapping):
            return raw
        address = split_userinfo(url)
        if address.userinfo is None:
            return raw
        return {
            "planner_userinfo": SecretStr(address.userinfo),
            **raw,
            "dslc_base_url": address.url,
        }

    # -- credentials ------------------------------------------------------------------------

    def remember(self, withheld: str | None, secrets: tuple[SecretStr, ...]) -> None:
        """Why credentials are not sent, and what is blanked beside those that are."""
        self._withheld, self._others_secrets = withheld, secrets
        self.__dict__.pop("redactor", None)

    @property
    def withheld(self) -> str | None:
        """Why configured credentials are not sent to this planner."""
        return self._withheld

    @cached_property
    def redactor(self) -> Redactor:
        """Blanks every secret that is known here, whoever it is for."""
        secrets = [value.get_secret_value() for value in self.planner_headers.values()]
        held = (self.planner_token, self.backend_token, *self._others_secrets)
        secrets += [secret.get_secret_value() for secret in held if secret is not None]
        # "Bearer abc" in a header is the secret "abc" when it comes back without its scheme.
        secrets += [text.partition(" ")[2] for text in secrets if " " in text]
        if self.planner_userinfo is not None:
            secrets += parts_of_userinfo(self.planner_userinfo.get_secret_value())
        return Redactor(secrets)

    # -- addresses --------------------------------------------------------------------------

    @property
    def planner_address(self) -> str:
        return self.dslc_base_url or DEFAULT_PLANNER_ADDRESS

    @property
    def planning_url(self) -> str:
        return f"{self.planner_address}/planning"

    @property
    def generating_url(self) -> str:
        return f"{self.planner_address}/generating"

    @property
    def generate_url(self) -> str:
        """Asked when the service does not know /generating."""
        return f"{self.planner_address}/generate"

    @property
    def v1_actions_url(self) -> str:
        return f"{self.planner_address}/v1/actions"

    @property
    def v1_reflection_url(self) -> str:
        return f"{self.planner_address}/v1/reflection"

    @property
    def endpoints(self) -> dict[str, str]:
        """What is asked of a planner service, each with its address."""
        if self.dialect == "v1":
            return {"actions": self.v1_actions_url, "reflection": self.v1_reflection_url}
        return {
            "planning": self.planning_url,
            "generating": self.generating_url,
            "generate": self.generate_url,
        }

    def public_view(self) -> dict[str, Any]:
        """Everything a browser may see: of a secret only whether it is set."""
        shown = self.model_dump(mode="json", exclude=set(SECRET_SETTINGS))
        for name in sorted(SECRET_SETTINGS):
            shown[name] = "set" if getattr(self, name) else None
        return shown


def environment_name(setting: str) -> str:
    plain = setting in _PLAIN_ENVIRONMENT_NAMES
    return setting.upper() if plain else f"BCC_{setting.upper()}"
