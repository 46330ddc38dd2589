@{{ name.report }}.run
def {{ name.report }}(report):
    import pandas as pd

    options = report.csv_options
    report.take(pd.read_csv(report.path, **options, on_bad_lines="skip", engine="python"))


{{ name.df }} = {{ name.report }}.df
