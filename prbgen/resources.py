"""The files beside the code (prompts, cards, annotation): inside an installed package, or at the top of a checkout."""

from importlib.resources import files
from pathlib import Path


def resource(kind: str) -> Path:
    """A folder of shipped files: "prompts", "data_cards", "annotation" or one inside such as "annotation/server"."""
    package = Path(str(files("prbgen")))
    installed = package / "_resources" / kind
    return installed if installed.is_dir() else package.parent / kind
