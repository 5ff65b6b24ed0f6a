"""From questions to chosen / rejected pairs: rank, rubric, pair."""
