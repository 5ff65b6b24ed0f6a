"""What changed between two datasets, or between two sets of results."""
