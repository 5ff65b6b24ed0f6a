"""How good is a reward model at telling which of two answers suits this person? Scores, figures and pages.

`conditions` say what it sees, `scorers` ask it, `metrics` make figures of what it says, `report` shows them.
"""
