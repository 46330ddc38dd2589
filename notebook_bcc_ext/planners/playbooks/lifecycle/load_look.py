import re

problem = None
raw = b""
if not path.exists():
    problem = {{ f.no_file }}
elif not path.is_file():
    problem = {{ f.not_a_file }}
else:
    with path.open("rb") as file:
        raw = file.read(5_000_000)
    packed = raw.startswith((b"PK\x03\x04", b"\x1f\x8b"))
    binary = b"\x00" in raw[:10_000] and not raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    start = raw.lstrip(b"\xef\xbb\xbf \t\r\n")[:100].lower()
    other = re.match(rb'<!doctype|<html|<\?xml|\{\s*"|\[\s*[\[{"]', start)
    if not raw.strip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n"):
        problem = {{ f.empty_file }}
    elif packed or binary:
        problem = {{ f.not_text }}
    elif other:
        problem = {{ f.not_csv }}

facts["usable"] = problem is None
if problem:
    summary.update(Markdown(problem))
Markdown(problem or {{ f.file_found }})
