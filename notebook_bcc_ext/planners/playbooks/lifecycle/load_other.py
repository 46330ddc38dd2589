@{{ name.report }}.run
def {{ name.report }}(report):
    import gzip
    import json

    import pandas as pd

    def from_json():
        """A list of objects, an object of columns, or one object a line."""
        opened = gzip.open if report.packed else open
        with opened(report.path, "rt", encoding="utf-8-sig") as file:
            content = file.read()
        try:
            read = json.loads(content)
        except ValueError:
            read = [json.loads(line) for line in content.splitlines() if line.strip()]
        if isinstance(read, dict) and len(read) == 1 and isinstance(*read.values(), list):
            [read] = read.values()
        if isinstance(read, list) and all(isinstance(row, dict) for row in read):
            return pd.json_normalize(read, max_level=2)
        if isinstance(read, dict) and all(isinstance(one, list | dict) for one in read.values()):
            return pd.DataFrame(read)
        raise ValueError("no table")

    def from_excel():
        sheets = pd.ExcelFile(report.path).sheet_names
        if len(sheets) > 1:
            report.notes.append({{ f.note_sheets }})
        return pd.read_excel(report.path)

    kind = report.facts["format"]
    readers = {"json": from_json, "excel": from_excel,
               "parquet": lambda: pd.read_parquet(report.path)}
    try:
        df = readers[kind]()
    except ImportError:
        report.fail(f"no_{kind}_reader")
    except Exception:
        report.fail("broken_file")
    else:
        df = df.reset_index() if df.index.name else df.reset_index(drop=True)
        df.columns = [str(name) for name in df.columns]
        repeated = df.columns.duplicated()
        df = df.loc[:, ~repeated]
        nested = [name for name in df if df[name].map(lambda one: isinstance(one, list | dict)).any()]
        report.take(df.assign(**{name: df[name].astype(str) for name in nested}))


{{ name.df }} = {{ name.report }}.df
