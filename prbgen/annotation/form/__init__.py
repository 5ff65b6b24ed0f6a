"""What a rater sees and is asked: the guidelines, the questions and the layout of an item, read from annotation/."""
