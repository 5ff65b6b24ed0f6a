"""What runs in a worker process: model calls, and nothing that could be lost with it. Imports no Ray."""

from __future__ import annotations

import os

from prbgen.cluster.version import refuse_other_version
from prbgen.errors import PrbgenError
from prbgen.llm.cleaning import cleaned, cleaned_line
from prbgen.llm.model import Call, CallError, Completion
from prbgen.llm.secrets import resolve
from prbgen.llm.transports.connect import Connections
from prbgen.llm.transports.litellm_module import litellm


class ModelWorker:
    """A `Worker` that makes calls over connections of its own."""

    def __init__(self) -> None:
        self._connections = Connections()

    async def prepare(self, version: str, environment: dict[str, str], providers: bool) -> None:
        """Take over what the driver's `environment` says of providers; get ready for them if calls will go to any.

        Raises:
            InputError: another version of prbgen is installed here than the driver's.
        """
        refuse_other_version(version)
        # Ray's own limit for numeric libraries would hold back the embedded model.
        os.environ.pop("OMP_NUM_THREADS", None)
        os.environ.update(environment)
        if providers:
            # Its import takes seconds: calls would pile up before it, and go out together against any rate limit.
            litellm()

    async def complete(self, call: Call, referred: dict[str, str]) -> Completion | CallError | PrbgenError:
        """What came of a call; faults are values, as Ray logs what is raised.

        `referred` are the variables that the model's settings refer to.
        """
        os.environ.update(referred)
        try:
            resolve(call.model.params)  # so that they are known as secrets
            # By this node's environment; the driver does the same by its own.
            return cleaned(await self._connections.to(call.model).complete(call))
        except CallError as error:
            return CallError(error.kind, cleaned_line(error), error.retry_after)
        except PrbgenError as error:
            return error
        except Exception as error:
            return PrbgenError(f"a worker cannot make calls: {type(error).__name__}: {cleaned_line(error)}")
