"""What a reward model under test sees of the asker."""
