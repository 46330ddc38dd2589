"""O12: a typical observation stays within the protocol's own figure."""

from bench.bench_observation import LIMIT_BYTES, size, typical_observation
from notebook_bcc_ext.observation.context_filter import apply_filter
from notebook_bcc_ext.protocol.planner.calls import ContextFilter


def test_o12_size():
    whole = typical_observation()
    filtered = apply_filter(whole, ContextFilter(variables_to_include=["df"]), {}).observation
    assert size(filtered) < size(whole) <= LIMIT_BYTES
