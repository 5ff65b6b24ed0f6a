"""People rate the pairs: the servers they do it on, what is pushed to them, and what comes back."""
