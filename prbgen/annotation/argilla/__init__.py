"""The campaign on an Argilla server."""
