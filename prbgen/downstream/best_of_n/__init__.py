"""Reward models that choose the best of N answers: sampled once, scored by each of them, judged once."""
