"""Policies trained with a reward model: data and settings for it, a reward server, training on one machine."""
