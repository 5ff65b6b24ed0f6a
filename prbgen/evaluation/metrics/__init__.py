"""From scored pairs to figures."""
