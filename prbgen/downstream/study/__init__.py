"""A list of reward models through all of it: evaluation, Best-of-N, PPO results, correlations, one report."""
