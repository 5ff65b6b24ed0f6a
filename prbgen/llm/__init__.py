"""Everything that talks to a language model; nothing else does."""
