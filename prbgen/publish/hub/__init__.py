"""Bringing a staged dataset to the Hugging Face Hub: whole or not at all, and never over somebody else's work."""

from prbgen.publish.hub.destination import HUB, Destination
from prbgen.publish.hub.published import Published
from prbgen.publish.hub.push import check_access, push

__all__ = ["HUB", "Destination", "Published", "check_access", "push"]
