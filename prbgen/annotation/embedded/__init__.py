"""An Argilla server on this machine: its environment, its home, its owner's account, and the process."""
