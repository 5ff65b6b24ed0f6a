"""The real argilla-server as one process: SQLite, no Elasticsearch, no Redis, no Docker.

Made for about five raters at once and tens of thousands of records. It runs in an environment of its own (see
requirements.txt beside this package) and imports nothing of prbgen. Start it by `python -m embedded_argilla --help`.
"""
