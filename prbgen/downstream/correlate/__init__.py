"""How well the ranking of reward models by a benchmark agrees with their ranking by what they bring downstream."""
