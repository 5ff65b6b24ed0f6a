"""From ratings to a verdict on every pair: whom to trust, how far people agree, what holds over all pairs."""
