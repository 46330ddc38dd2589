def {{ name.report }}():
    """The helpers of this report in one object, so that nothing else is left in your kernel."""
    import base64
    import html
    import io
    import re
    import warnings
    from contextlib import contextmanager
    from pathlib import Path

    import matplotlib
    import pandas as pd
    from IPython.display import display
    from matplotlib import font_manager
    from matplotlib.figure import Figure

    class Markup(str):
        """Markdown that may be shown as it is; any other text is escaped first."""

    def visible(value):
        """On one line, with nothing in it that would not be seen."""
        text = " ".join(str(value).split())
        return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)

    def shortened(value, width):
        text = visible(value)
        return text if len(text) <= width else text[: width - 1] + "…"

    def escaped(value):
        """A value as text: neither Markdown nor HTML nor a formula can come of it."""
        text = html.escape(visible(value), quote=False)
        text = re.sub(r"[\\`*\[\]|$~]|(?<!\w)_|_(?!\w)|^[#+=-](?=[\s#=-]|$)|(?<=^\d)\.(?=\s)",
                      lambda found: "".join(f"&#{ord(char)};" for char in found[0]), text)
        return Markup(text)

    chinese = ["Noto Sans CJK SC", "Noto Sans CJK JP", "Source Han Sans SC", "WenQuanYi Micro Hei",
               "WenQuanYi Zen Hei", "Microsoft YaHei", "PingFang SC", "Heiti SC", "SimHei",
               "Droid Sans Fallback"]
    installed = {font.name for font in font_manager.fontManager.ttflist}
    families = [name for name in chinese if name in installed][:1] + ["DejaVu Sans"]
    drawable = {char for name in families
                for char in font_manager.get_font(font_manager.findfont(name)).get_charmap()}

    class Report:
        def __init__(self, path, names):
            self.path = Path(path)
            self.names = names  # what it is called in this kernel
            self.df = None
            self.facts = {}  # small numbers that decide how the report goes on
            self.findings = []  # sentences for the summary
            self.notes = []  # how the file was read
            self.kinds = {}  # what each column can be used for
            self.problems = {}  # sentences, should the file not be readable
            self.head = display({"text/markdown": "…"}, raw=True, display_id=True)

        def run(self, step):
            """Run a step at once. Its names stay inside it, its settings end with it."""
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                step(self)
            return self

        def take(self, df):
            """The table as it was read."""
            self.df = df
            self.facts.update(rows=len(df), columns=df.shape[1])
            if df.empty:
                self.fail("no_rows")

        def fail(self, problem):
            """There is nothing to report on: the report ends here."""
            self.facts.update(usable=False, problem=problem)
            self.show_first(self.problems[problem])

        def columns(self, *kinds):
            return [name for name in self.df if self.kinds[name] in kinds]

        # -- text: a value gets into it through `text`, `code` and `quoted` alone

        def text(self, template, *values):
            texts = [one if isinstance(one, Markup) else escaped(one) for one in values]
            return Markup(template.format(*texts))

        def code(self, value, width=60):
            """A name or a value, shown exactly as it is."""
            text = shortened(value, width) or "''"
            fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
            pad = " " if text.startswith("`") or text.endswith("`") else ""
            return Markup(f"{fence}{pad}{text}{pad}{fence}")

        def quoted(self, names, limit=5):
            names = list(names)
            left_out = len(names) - limit
            shown = {{ text.between_names }}.join(self.code(name, 40) for name in names[:limit])
            more = {{ text.more_names }}.format(left_out, len(names)) if left_out > 0 else ""
            return Markup(shown + more)

        def markdown(self, sentences, between="\n\n"):
            return Markup(between.join(
                one if isinstance(one, Markup) else escaped(one) for one in sentences
            ))

        def say(self, *sentences):
            if sentences:
                self._display(self.markdown(sentences))

        def show_first(self, *sentences):
            """What stands under the title."""
            self.head.update({"text/markdown": self.markdown(sentences)}, raw=True)

        def opening(self):
            """The answer, and how the question was understood; in the other order without one."""
            if self.facts["answered"]:
                return [*self.answer, *self.choice]
            return [*self.choice, *self.answer]

        def _display(self, markdown):
            display({"text/markdown": markdown, "text/plain": markdown}, raw=True)

        def show(self, table, index=True):
            table = table.rename(columns=lambda name: shortened(name, 40))
            table = table.map(lambda value: visible(value) if isinstance(value, str) else value)
            if index:
                table = table.rename(index=lambda name: shortened(name, 40))
            with pd.option_context("display.max_colwidth", 80, "display.precision", 3,
                                   "display.float_format", None, "display.width", 160):
                # The class keeps formulas from being read into the values.
                shown = table.to_html(index=index, border=0, na_rep="",
                                      classes="dataframe tex2jax_ignore mathjax_ignore")
                plain = table.to_string(index=index, na_rep="")
            display({"text/html": shown, "text/plain": plain}, raw=True)

        # -- plots: drawn in a style of their own, without touching yours

        @contextmanager
        def plots(self, count=1, per_row=4, size=(2.7, 2.3), left=0.8):
            """So many axes, shown when the block ends."""
            wide = min(per_row, count)
            high = -(-count // wide)
            with matplotlib.rc_context():
                matplotlib.rcdefaults()
                matplotlib.rcParams.update({
                    "font.family": families, "axes.titlesize": 10, "xtick.labelsize": 8,
                    "ytick.labelsize": 8, "axes.labelsize": 9, "axes.spines.top": False,
                    "axes.spines.right": False,
                })
                figure = Figure(figsize=(size[0] * wide + left, size[1] * high),
                                layout="constrained")
                axes = figure.subplots(high, wide, squeeze=False).flatten()
                for unused in axes[count:]:
                    unused.set_axis_off()
                yield list(axes[:count])
                image = io.BytesIO()
                figure.savefig(image, format="png", dpi=144)
            encoded = base64.b64encode(image.getvalue()).decode()
            display({"image/png": encoded, "text/plain": "[plot]"}, raw=True,
                    metadata={"image/png": {"width": int(figure.get_figwidth() * 80)}})

        def label(self, text, fallback="?", width=22):
            """The text as the plot fonts can draw it, cut when it is long; else the fallback."""
            text = shortened(text, width)
            if not all(ord(char) in drawable for char in text):
                text = fallback
            return text.replace("$", r"\$")

        def column_label(self, name):
            return self.label(name, f"column {self.df.columns.get_loc(name) + 1}")

    return Report({{ data_path }}, {{ names_in_kernel }})


{{ name.report }} = {{ name.report }}()
{{ name.facts }} = {{ name.report }}.facts
{{ name.findings }} = {{ name.report }}.findings


@{{ name.report }}.run
def {{ name.report }}(report):
    report.problems = {
        "no_file": {{ md.no_file }},
        "not_a_file": {{ md.not_a_file }},
        "empty_file": {{ md.empty_file }},
        "no_rows": {{ md.no_rows }},
        "not_text": {{ md.not_text }},
        "not_a_table": {{ md.not_a_table }},
        "broken_file": {{ md.broken_file }},
        "no_parquet_reader": {{ md.no_parquet_reader }},
        "no_excel_reader": {{ md.no_excel_reader }},
    }
    report.show_first({{ f.summary_follows }})
