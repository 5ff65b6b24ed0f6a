"""Results as a page, Markdown and LaTeX.

`report.py` makes a report of results (`entries`, `boards`, `contrasts`, `disagreements`); `page`, `markdown`, `latex`
and `document` write it. Whether two results differ is tested by `metrics/comparison.py`.
"""
