@{{ name.report }}.run
def {{ name.report }}(report):
    import gzip
    import re
    import zipfile

    path, facts = report.path, report.facts
    facts.update(usable=True, problem=None, format="csv")
    if not path.exists():
        return report.fail("no_file")
    if not path.is_file():
        return report.fail("not_a_file")
    with path.open("rb") as file:
        raw = file.read(5_000_000)
    report.packed = raw.startswith(b"\x1f\x8b")
    if report.packed:
        try:
            with gzip.open(path) as file:
                raw = file.read(5_000_000)
        except (OSError, EOFError):
            return report.fail("not_text")
    report.raw = raw
    start = raw.lstrip(b"\xef\xbb\xbf \t\r\n")[:100].lower()
    binary = b"\x00" in raw[:10_000] and not raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not raw.strip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n"):
        report.fail("empty_file")
    elif raw.startswith(b"PAR1"):
        facts["format"] = "parquet"
    elif zipfile.is_zipfile(path) and "xl/workbook.xml" in zipfile.ZipFile(path).namelist():
        facts["format"] = "excel"
    elif binary or raw.startswith((b"PK\x03\x04", b"%PDF-", b"{\\rtf")):
        report.fail("not_text")
    elif re.match(rb"<!doctype|<html|<\?xml", start):
        report.fail("not_a_table")
    elif re.match(rb'\{\s*["}]|\[\s*[\[{"\]]', start):
        facts["format"] = "json"
