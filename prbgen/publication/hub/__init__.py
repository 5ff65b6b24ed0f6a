"""Bringing a staged dataset to the Hugging Face Hub: whole or not at all, and never over somebody else's work."""

from prbgen.publication.hub.destination import HUB, Destination
from prbgen.publication.hub.published import Published
from prbgen.publication.hub.push import check_access, push

__all__ = ["HUB", "Destination", "Published", "check_access", "push"]
