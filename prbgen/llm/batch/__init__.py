"""Provider batches: calls that may take a day and cost half.

A run goes over all its questions in passes. What has no reply on record is posted; between passes the posted calls are
submitted, and batches that have ended are collected. So stages that depend on each other advance in waves.
"""

from prbgen.llm.batch.batched import Batched

__all__ = ["Batched"]
