"""A13: what planners wrap around their content."""

import pytest

from notebook_bcc_ext.actions.cleaning import clean_code, clean_text, heading, title_text


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("  hello \n", "hello"),
        ("Add text to the notebook: hello", "hello"),
        ("add text to the notebook:\nhello", "hello"),
        ("Add text to the notebook: Add text to the notebook: x", "Add text to the notebook: x"),
        ("Update the title of the notebook: T", "T"),
        ("We add text to the notebook: x", "We add text to the notebook: x"),
        ("```\nkept\n```", "```\nkept\n```"),
    ],
)
def test_text(raw, clean):
    assert clean_text(raw) == clean


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("x = 1", "x = 1"),
        ("```python\nx = 1\n```", "x = 1"),
        ("```\nx = 1\n\ny = 2\n```\n", "x = 1\n\ny = 2"),
        ("~~~py\nx\n~~~", "x"),
        ("Add code to the notebook: ```python\nx\n```", "x"),
        ("Add code to the notebook and run it:\n```\nif a:\n    b\n```", "if a:\n    b"),
        ("```python\n    indented\n```", "indented"),
        ("print('''```''')", "print('''```''')"),
        ("```\na\n```\ntext\n```\nb\n```", "```\na\n```\ntext\n```\nb\n```"),
    ],
)
def test_code(raw, clean):
    assert clean_code(raw) == clean


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("    x = 1\n    if x:\n        y = 2\n", "x = 1\nif x:\n    y = 2"),
        ("\n\n  \n    x = 1\n\n    y = 2\n\n", "x = 1\n\ny = 2"),
        ("\tx = 1\n\ty = 2", "x = 1\ny = 2"),
        ("\tx = 1\n    y = 2", "\tx = 1\n    y = 2"),
        ("    x = 1\ny = 2", "    x = 1\ny = 2"),
        ("    s = '''\nleft\n    '''", "    s = '''\nleft\n    '''"),
        ("s = '''\n   \n'''", "s = '''\n   \n'''"),
        ("  s = '''\n     \n  '''", "s = '''\n   \n'''"),
        ("Add code to the notebook:\n    x = 1\n    y = 2", "x = 1\ny = 2"),
        ("Add code to the notebook: x = 1\nif x:\n    y = 2", "x = 1\nif x:\n    y = 2"),
        ("  ```python\n  for a in b:\n      c\n  ```", "for a in b:\n    c"),
        ("```python\n\n    for a in b:\n        c\n```", "for a in b:\n    c"),
        ("   \n\t\n", ""),
    ],
)
def test_b4_an_indent_is_kept_or_taken_off_as_a_whole(raw, clean):
    assert clean_code(raw) == clean


def test_b4_indented_text_keeps_its_shape():
    assert clean_text("\n    - a\n      - b\n") == "- a\n  - b"
    assert clean_text("See:\n\n    code") == "See:\n\n    code"


@pytest.mark.parametrize(
    ("level", "raw", "clean"),
    [
        (2, "Data", "## Data"),
        (2, "## Data", "## Data"),
        (3, "# Data", "### Data"),
        (3, "#hashtag", "### #hashtag"),
        (2, "Add text to the notebook: ## Data", "## Data"),
        (2, "C# and F#", "## C# and F#"),
    ],
)
def test_headings_have_one_mark(level, raw, clean):
    assert heading(level, raw) == clean


def test_title():
    assert title_text("Update the title of the notebook: # My\n title ") == "My title"
