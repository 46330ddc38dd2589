from matplotlib import font_manager

fonts = {font.name for font in font_manager.fontManager.ttflist}
chinese = ["Noto Sans CJK SC", "Noto Sans CJK JP", "Source Han Sans SC", "WenQuanYi Micro Hei",
           "WenQuanYi Zen Hei", "Microsoft YaHei", "PingFang SC", "Heiti SC", "SimHei",
           "Droid Sans Fallback"]
families = [name for name in chinese if name in fonts][:1] + ["DejaVu Sans"]
plt.rcParams.update({"font.family": families, "figure.dpi": 100, "axes.titlesize": 10,
                     "axes.spines.top": False, "axes.spines.right": False})
drawable = {char for name in families
            for char in font_manager.get_font(font_manager.findfont(name)).get_charmap()}


def plot_label(text, fallback="?", width=22):
    """The text, cut when it is long, as the plot fonts can draw it; else the fallback."""
    text = " ".join(str(text).split())
    text = text if len(text) <= width else text[: width - 1] + "…"
    if not all(ord(char) in drawable for char in text):
        text = fallback
    return text.replace("$", r"\$")


def column_label(name):
    return plot_label(name, f"column {df.columns.get_loc(name) + 1}")


def quoted(names, limit=5):
    """Names as Markdown code, at most `limit` of them."""
    names = [" ".join(str(name).replace("`", "'").split())[:40] for name in names]
    more = f" (+{len(names) - limit})" if len(names) > limit else ""
    return ", ".join(f"`{name}`" for name in names[:limit]) + more
