@{{ name.report }}.run
def {{ name.report }}(report):
    import codecs
    import csv
    import io
    import re
    from itertools import islice, takewhile

    import numpy as np
    import pandas as pd

    def guess_encoding(raw):
        """A byte-order mark, else valid UTF-8, else GBK (characters are byte pairs), else Latin."""
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

    def is_number(text):
        return re.fullmatch(r"\s*[-+]?\d+([.,]\d+)?(e[-+]?\d+)?\s*", text, re.I) is not None

    longest_field = csv.field_size_limit(10_000_000)
    try:
        encoding = guess_encoding(report.raw)
        text = report.raw.decode(encoding, errors="replace")
        # Comments may stand before the table, and its header may begin like one.
        comments = list(takewhile(lambda line: line.strip()[:1] in ("", "#"), text.splitlines()))
        preface = len(comments) if len(comments) < len(text.splitlines()) else 0
        delimiter = max(",;\t|", key=fit)
        if preface and 1 < len(comments[-1].split(delimiter)) == len(first_rows(delimiter, 1)[0]):
            preface -= 1
        rows = first_rows(delimiter)
    finally:
        csv.field_size_limit(longest_field)

    # A first line of nothing but numbers is data, unless they could be names such as 2019, 2020.
    header = [name.strip() for name in rows[0]]
    has_header = not all(map(is_number, header)) or (
        len(rows) > 1 and len(set(header)) == len(header) and all(map(str.isdigit, header))
    )
    if not has_header:
        header = [""] * len(header)
    usual_width = int(np.median([len(row) for row in rows[1:]] or [0]))
    header += [""] * (usual_width - len(header))

    names = []
    for position, name in enumerate(header, start=1):
        name = name or f"column_{position}"
        taken = sum(other == name or other.startswith(f"{name}__") for other in names)
        names.append(f"{name}__{taken + 1}" if taken else name)

    # Codes such as 00123 stay text: as numbers they would lose their zeros.
    codes = [name for i, name in enumerate(names)
             if any(len(row) > i and re.fullmatch(r"0\d+", row[i].strip()) for row in rows[1:])]
    report.csv_options = dict(
        sep=delimiter, encoding=encoding, encoding_errors="replace", names=names,
        header=0 if has_header else None, usecols=range(len(names)), skiprows=preface,
        compression="gzip" if report.packed else None,
    )
    options = report.csv_options | dict(
        dtype=dict.fromkeys(codes, str), na_values=["?", "-", "--"], skipinitialspace=True,
        low_memory=False, nrows=1_000_000 if report.path.stat().st_size > 500_000_000 else None,
    )
    too_long = sum(len(row) > len(names) for row in rows)
    renamed = [name for name in names if re.search(r"__\d+$", name)]
    report.notes = [{{ f.dialect }}]
    if renamed:
        report.notes.append({{ f.note_renamed }})
    if not has_header:
        report.notes.append({{ f.note_no_header }})
    if preface:
        report.notes.append({{ f.note_preface }})
    if too_long:
        report.notes.append({{ f.note_too_long }})

    try:
        df = pd.read_csv(report.path, **options)
    except pd.errors.ParserError:  # a quote that is never closed: quotes are ordinary characters
        df = pd.read_csv(report.path, **options, quoting=csv.QUOTE_NONE)
    if options["nrows"] and len(df) == options["nrows"]:
        report.notes.append({{ f.note_cut }})
    unnamed = [name for name in names if name.startswith("column_")]
    report.take(df.drop(columns=[name for name in unnamed if df[name].isna().all()]))


{{ name.df }} = {{ name.report }}.df
