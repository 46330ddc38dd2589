from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import Markdown, display

path = Path({{ data_path }})
facts = {}  # small numbers that decide how the analysis goes on
findings = []  # sentences for the summary

# The summary is filled in here when the analysis is complete.
summary = display(Markdown({{ f.summary_follows }}), display_id="summary")
