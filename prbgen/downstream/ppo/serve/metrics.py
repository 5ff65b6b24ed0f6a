"""What the server counts, for Prometheus. Each server has a registry of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from prbgen.downstream.ppo.serve.refusal import Reason

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


class Metrics:
    """All figures of one server. None of them holds anything that was sent."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = self._counter("requests", "Requests for scores, by status.", "status")
        self._failures = self._counter("failures", "Requests without scores, by reason.", "reason")
        self._scores = self._counter("scores", "Scores that were handed out.")
        self._queue = Gauge("prbgen_reward_queue_inputs", "Inputs that wait for a batch.", registry=self._registry)
        self._batch_requests = self._histogram("batch_requests", "Requests in a batch.", _SIZES)
        self._batch_inputs = self._histogram("batch_inputs", "Inputs in a batch.", _SIZES)
        self._batch_seconds = self._histogram("batch_seconds", "Seconds that a batch took.", _SECONDS)
        self._seconds = self._histogram("seconds", "Seconds until a request had its scores.", _SECONDS)

    def watch_queue(self, length: Callable[[], float]) -> None:
        """Where the length of the queue, in inputs, is to be had."""
        self._queue.set_function(length)

    def answered(self, scores: int, seconds: float) -> None:
        """A request has so many scores after so many seconds."""
        self._requests.labels("200").inc()
        self._scores.inc(scores)
        self._seconds.observe(seconds)

    def refused(self, status: int, reason: Reason) -> None:
        """A request has no scores."""
        self._requests.labels(str(status)).inc()
        self._failures.labels(reason).inc()

    def batch(self, requests: int, inputs: int, seconds: float) -> None:
        """A batch is done."""
        self._batch_requests.observe(requests)
        self._batch_inputs.observe(inputs)
        self._batch_seconds.observe(seconds)

    def text(self) -> bytes:
        """All of them in Prometheus' text format."""
        return generate_latest(self._registry)

    def _counter(self, name: str, told: str, *labels: str) -> Counter:
        return Counter(f"prbgen_reward_{name}", told, labels, registry=self._registry)

    def _histogram(self, name: str, told: str, buckets: Sequence[float]) -> Histogram:
        return Histogram(f"prbgen_reward_{name}", told, buckets=buckets, registry=self._registry)
