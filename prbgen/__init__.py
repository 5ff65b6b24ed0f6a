"""prbgen builds, checks, publishes and uses personalised reward benchmarks."""

__version__ = "0.1.0"
