"""The words of a text, and the runs of them that two texts share."""
