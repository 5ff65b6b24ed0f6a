"""How far raters agree on what they saw, and with themselves."""

from prbgen.validate.agreement.agreement import agreement

__all__ = ["agreement"]
