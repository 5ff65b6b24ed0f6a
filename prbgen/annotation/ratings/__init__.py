"""What raters' responses say: ratings and their history, how far a round is, where raters disagree."""
