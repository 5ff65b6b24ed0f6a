"""What is checked before a dataset leaves this machine."""
