"""CSV files that analyses stumble over, made from fixed seeds: name -> content."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

Maker = Callable[[], bytes]
FILES: dict[str, Maker] = {}
FEW = 30
"""Too few rows for a model: quick, for files whose reading is the point."""


def file(maker: Maker) -> Maker:
    FILES[maker.__name__] = maker
    return maker


def csv_of(table: pd.DataFrame, encoding: str = "utf-8", **options: object) -> bytes:
    text = io.StringIO()
    table.to_csv(text, index=False, **options)
    return text.getvalue().encode(encoding)


def people(rows: int = 200, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    age = random.integers(18, 80, rows)
    income = (age * 500 + random.normal(20_000, 6_000, rows)).round(2)
    return pd.DataFrame(
        {
            "age": age,
            "city": random.choice(["Paris", "Köln", "Oslo"], rows),
            "member": random.choice(["yes", "no"], rows),
            "income": income,
        }
    )


@file
def mixed() -> bytes:
    return csv_of(people())


@file
def all_numeric() -> bytes:
    values = np.random.default_rng(1).normal(size=(150, 5))
    values[:, 4] = values[:, 0] * 2 - values[:, 1] + values[:, 4] * 0.1
    return csv_of(pd.DataFrame(values, columns=list("abcde")))


@file
def all_text() -> bytes:
    random = np.random.default_rng(2)
    words = np.array(["red", "green", "blue", "grey"])
    table = pd.DataFrame({"colour": random.choice(words, 120)})
    table["shade"] = random.choice(words[:2], 120)
    table["comment"] = [f"note {i} about the item, with some more words" for i in range(120)]
    return csv_of(table)


@file
def dates() -> bytes:
    random = np.random.default_rng(3)
    days = pd.date_range("2020-01-01", periods=240)
    table = pd.DataFrame({"day": days.strftime("%d.%m.%Y")})
    table["stamp"] = days.strftime("%Y-%m-%dT%H:%M:%S+02:00")
    table["sales"] = np.arange(240) * 0.5 + random.normal(0, 5, 240)
    table["visitors"] = random.poisson(30, 240)
    return csv_of(table)


@file
def only_dates() -> bytes:
    days = pd.date_range("2020-01-01", periods=60)
    return csv_of(pd.DataFrame({"when": days.strftime("%Y-%m-%d")}))


@file
def many_columns() -> bytes:
    random = np.random.default_rng(4)
    table = pd.DataFrame(random.normal(size=(120, 190)), columns=[f"x{i}" for i in range(190)])
    for i in range(10):
        table[f"kind{i}"] = random.choice(list("uvw"), 120)
    table["outcome"] = (table["x3"] + random.normal(size=120) * 0.5 > 0).astype(int)
    return csv_of(table)


@file
def mostly_missing() -> bytes:
    random = np.random.default_rng(5)
    table = pd.DataFrame(random.normal(size=(300, 6)), columns=list("pqrstu"))
    table = table.mask(random.random(table.shape) < 0.9)
    table["nothing"] = np.nan
    return csv_of(table)


@file
def one_column() -> bytes:
    return csv_of(pd.DataFrame({"value": np.random.default_rng(6).normal(size=80)}))


@file
def one_row() -> bytes:
    return b"a,b,when\n1,x,2024-01-01\n"


@file
def header_only() -> bytes:
    return b"a,b,c\n"


@file
def empty() -> bytes:
    return b""


@file
def only_bom() -> bytes:
    return b"\xef\xbb\xbf\r\n"


@file
def zip_archive() -> bytes:
    return b"PK\x03\x04" + bytes(200)


@file
def semicolons() -> bytes:
    return csv_of(people(FEW), sep=";", decimal=",")


@file
def tabs_utf16() -> bytes:
    return csv_of(people(FEW), encoding="utf-16", sep="\t")


@file
def latin1() -> bytes:
    return csv_of(people(FEW), encoding="latin-1", sep=";")


@file
def gbk() -> bytes:
    table = people()
    table.columns = ["年龄", "城市", "会员", "收入"]
    return csv_of(table.replace({"Paris": "北京", "Köln": "上海", "Oslo": "广州"}), encoding="gbk")


@file
def bom() -> bytes:
    return b"\xef\xbb\xbf" + csv_of(people(FEW))


@file
def duplicate_names() -> bytes:
    body = csv_of(people()).split(b"\n", 1)[1]
    return b"x,x,x,x\n" + body


@file
def keywords() -> bytes:
    table = people()
    table.columns = ["class", "def", "lambda", "import"]
    return csv_of(table)


@file
def awkward_names() -> bytes:
    table = people()
    table.columns = ["$cost$ {{ goal }}", "a`b|c*", "", "line\nbreak 🎉"]
    return csv_of(table)


@file
def mixed_types() -> bytes:
    table = people()
    table["age"] = table["age"].astype(object)
    table.loc[::50, "age"] = "unknown"
    table["stuff"] = [1, "two", 3.5, True, None] * 40
    return csv_of(table)


@file
def infinite() -> bytes:
    table = people()
    table["ratio"] = np.random.default_rng(7).normal(size=200)
    table.loc[::20, "ratio"] = np.inf
    table.loc[1::20, "ratio"] = -np.inf
    table["always"] = np.inf
    return csv_of(table)


@file
def booleans_and_constants() -> bytes:
    random = np.random.default_rng(8)
    table = people().assign(same=7, flag=random.choice([True, False], 200))
    table["gappy"] = random.choice(np.array([True, False, None], dtype=object), 200)
    return csv_of(table)


@file
def long_text() -> bytes:
    table = people(60)
    table["essay"] = ['lorem ipsum, "quoted"\n' * 8_000] * 30 + ["short"] * 30
    return csv_of(table)


@file
def many_ids() -> bytes:
    table = people(500)
    table.insert(0, "uuid", [f"u-{i:08x}" for i in np.random.default_rng(9).permutation(500)])
    table.insert(1, "zip", [f"{i % 90:05d}" for i in range(500)])
    return csv_of(table)


@file
def rare_class() -> bytes:
    random = np.random.default_rng(10)
    score = random.normal(size=600)
    label = np.where(score + random.normal(0, 0.5, 600) > 1.8, "fraud", "fine")
    return csv_of(pd.DataFrame({"score": score, "noise": random.normal(size=600), "label": label}))


@file
def repeated_rows() -> bytes:
    table = people(100)
    return csv_of(pd.concat([table, table.head(40)]))


@file
def few_combinations() -> bytes:
    """Enough rows, and hardly any that is not repeated."""
    who = [("ann", "bo", "cy")[i % 3] for i in range(240)]
    table = {"who": who, "why": [f"why {i % 17}" for i in range(240)]}
    return csv_of(pd.DataFrame(table))


@file
def rare_class_among_many_rows() -> bytes:
    """A draw of some rows would hardly meet the rare class."""
    chance = np.random.default_rng(12)
    rows = 60_000
    kind = np.where(np.arange(rows) % 3_000 == 0, "fraud", "fine")
    return csv_of(pd.DataFrame({"amount": chance.normal(size=rows), "kind": kind}))


@file
def ragged() -> bytes:
    lines = csv_of(people(FEW)).decode().splitlines()
    lines[1] += ",surplus"
    lines[9] += ",1,2,3"
    lines[20] = "30,Paris"
    return ("\n\n" + "\n".join(lines)).encode()


@file
def open_quote() -> bytes:
    lines = csv_of(people(FEW)).decode().splitlines()
    lines[20] = '44,"Paris,yes,1000'
    return "\n".join(lines).encode()


@file
def no_header() -> bytes:
    return csv_of(pd.DataFrame(np.random.default_rng(11).normal(size=(100, 4))), header=False)


@file
def carriage_returns() -> bytes:
    return csv_of(people(FEW)).replace(b"\n", b"\r")


@file
def two_rows() -> bytes:
    return b"a,b\n1,x\n2,y\n"


@file
def large_numbers() -> bytes:
    table = people(80)
    table["big"] = [f"9{i:030d}" for i in range(80)]
    table["tiny"] = np.linspace(1e-300, 1e300, 80)
    return csv_of(table)


@file
def all_missing() -> bytes:
    return b"a,b,c\n" + b",,\n" * 30


@file
def many_rows() -> bytes:
    random = np.random.default_rng(12)
    table = people(100_000)
    days = random.integers(0, 3000, 100_000)
    table["when"] = pd.Timestamp("2015-01-01") + pd.to_timedelta(days, "D")
    return csv_of(table)


@file
def comments_before() -> bytes:
    return b"# exported by a tool\n# version 3\n\n" + csv_of(people(FEW))


@file
def comment_as_header() -> bytes:
    return b"# made today\n#" + csv_of(people(FEW))


@file
def money_and_percent() -> bytes:
    """Written for people: currency signs, separators of thousands, percent, times with zones."""
    lines = [
        f'"${1000 + row * 37:,}.50",{row * 3.1:.1f}%,2024-01-{1 + row % 28:02d}T10:00:00+02:00'
        for row in range(FEW)
    ]
    return "\n".join(["price,rate,sold at", *lines]).encode()


@file
def pandas_names() -> bytes:
    """Names that are attributes of a table, or more than a plot has room for."""
    table = people(FEW).rename(columns={"age": "index", "city": "values", "member": "shape"})
    return csv_of(table.assign(T=range(FEW), size=1, **{"L" * 200: 2.5, '"😀" it\'s': "x"}))


@file
def web_page() -> bytes:
    return b"<!DOCTYPE html>\n<html><body>\n<h1>404, not found</h1>\n</body></html>\n"


@file
def json_text() -> bytes:
    return b'[{"a": 1, "b": 2},\n {"a": 3, "b": 4}]\n'
