"""What looks like personal data, and in which columns of a row it stands."""
