"""Reward functions for frameworks that train policies: `reward.py`, one file that works without prbgen."""
