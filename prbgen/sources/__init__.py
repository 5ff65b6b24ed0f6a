"""LaMP-QA and other data, read into schema records."""
