"""From pairs to a dataset that `datasets` loads."""
