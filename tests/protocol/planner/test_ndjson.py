"""P4: the stream decoder, for every way of cutting the same bytes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_bcc_ext.protocol.planner.ndjson import BadLine, NdjsonDecoder

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
LINES = st.one_of(
    st.dictionaries(st.text(max_size=8), JSON_VALUES, max_size=4).map(
        lambda value: json.dumps(value, ensure_ascii=False).encode()
    ),
    st.binary(max_size=60).map(lambda junk: junk.replace(b"\n", b"")),
    st.sampled_from([b"", b"   ", b"[1]", b"NaN", b'{"a": NaN}', b'{"a": "\\ud800"}', b"\xff\xfe"]),
)


def decode(chunks, max_line_bytes=4096):
    decoder = NdjsonDecoder(max_line_bytes)
    decoded = [item for chunk in chunks for item in decoder.feed(chunk)]
    return [*decoded, *decoder.close()]


@given(st.lists(LINES, max_size=8), st.booleans(), st.data())
def test_every_cutting_gives_the_same(lines, ends_with_newline, data):
    stream = b"\n".join(lines) + (b"\n" if ends_with_newline else b"")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=12)))
    chunks = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    limit = data.draw(st.sampled_from([8, 40, 4096]))
    assert decode(chunks, limit) == decode([stream], limit)


@given(st.lists(LINES, max_size=8))
def test_whatever_comes_can_be_saved_as_utf_8(lines):
    for item in decode([b"\n".join(lines)]):
        if not isinstance(item, BadLine):
            json.dumps(item, ensure_ascii=False, allow_nan=False).encode("utf-8")


def test_a_character_split_between_chunks_and_no_last_newline():
    line = '{"content": "数据"}'.encode()
    assert decode([line[:14], line[14:15], line[15:]]) == [{"content": "数据"}]


def test_crlf_blank_lines_and_a_byte_order_mark():
    assert decode([b'\xef\xbb\xbf{"a": 1}\r\n\r\n  \n{"b": 2}\r\n']) == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"data: hello", "it is not JSON"),
        (b'{"a": ', "it is not JSON"),
        (b'{"a": Infinity}', "it is not JSON"),
        (b"[" * 100_000, "it is nested more than 100 levels deep"),
        (b'{"a": ' * 101 + b"1" + b"}" * 101, "it is nested more than 100 levels deep"),
        (b'{"a": 1e999}', "it is not JSON"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "it is not JSON"),
        (b"[1, 2]", "it is not a JSON object"),
        (b'"text"', "it is not a JSON object"),
        (b'{"a": "\xff"}', "it is not UTF-8"),
    ],
)
def test_a_bad_line_is_reported_and_does_not_stop_the_stream(line, reason):
    first, bad, last = decode([b'{"a": 1}\n' + line + b'\n{"b": 2}\n'], max_line_bytes=200_000)
    assert (first, last) == ({"a": 1}, {"b": 2})
    assert isinstance(bad, BadLine)
    assert (bad.number, bad.reason) == (2, reason)
    assert "line 2" in str(bad)


def test_a_line_over_the_ceiling_is_dropped_as_it_comes():
    decoder = NdjsonDecoder(max_line_bytes=1000)
    for _ in range(10_000):
        assert list(decoder.feed(b"x" * 1000)) == []
    assert sum(len(part) for part in decoder._parts) < 2000
    bad, good = [*decoder.feed(b'\n{"a": 1}\n')]
    assert isinstance(bad, BadLine)
    assert bad.reason == "it is longer than 1000 bytes"
    assert good == {"a": 1}


def test_half_a_surrogate_pair_becomes_a_question_mark():
    assert decode([b'{"a": "x\\ud83dy", "b": "\\ud83d\\ude00"}']) == [{"a": "x?y", "b": "😀"}]
