"""How far raters agree on what they saw, and with themselves."""

from prbgen.validation.agreement.agreement import agreement

__all__ = ["agreement"]
