"""Rating rounds without a server: one CSV a rater, written to a folder and read back with every cell checked."""
