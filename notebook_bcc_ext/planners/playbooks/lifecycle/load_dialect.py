import codecs
import csv
import io
import re
from itertools import islice, takewhile

csv.field_size_limit(10_000_000)


def guess_encoding(raw):
    """A byte-order mark, else valid UTF-8, else GBK (its characters are byte pairs), else Latin."""
    if raw.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(raw)
        return "utf-8"
    except UnicodeDecodeError:
        runs = re.findall(rb"[\x80-\xff]+", raw)
        in_pairs = sum(len(run) % 2 == 0 for run in runs) / len(runs)
        return "gb18030" if in_pairs > 0.9 else "cp1252"


def first_rows(delimiter, count=1000):
    lines = islice(io.StringIO(text, newline=None), preface, None)
    return [row for row in islice(csv.reader(lines, delimiter=delimiter), count) if row]


def fit(delimiter):
    """How many rows have as many fields as the header, and how many fields that is."""
    widths = [len(row) for row in first_rows(delimiter, 100)]
    return np.mean([width == widths[0] for width in widths]) * (widths[0] > 1), widths[0]


encoding = guess_encoding(raw)
text = raw.decode(encoding, errors="replace")

# Comments may stand before the table, and its header may begin like one.
comments = list(takewhile(lambda line: line.strip()[:1] in ("", "#"), text.splitlines()))
preface = len(comments) if len(comments) < len(text.splitlines()) else 0
delimiter = max(",;\t|", key=fit)
if preface and 1 < len(comments[-1].split(delimiter)) == len(first_rows(delimiter, 1)[0]):
    preface -= 1
rows = first_rows(delimiter)
Markdown({{ f.dialect }})
