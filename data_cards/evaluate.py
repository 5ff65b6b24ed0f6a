# /// script
# requires-python = ">=3.11"
# dependencies = ["datasets>=3.6", "litellm>=1.108,<2", "numpy>=2", "torch>=2.4", "tqdm>=4.66", "transformers>=4.56"]
# ///
"""Does a reward model prefer what this person prefers? One score and one outcome for each pair of the dataset.

scalar:MODEL  a transformers sequence classifier (Hub id or folder) with one logit, or two (second minus first).
              Question and answer go through its chat template; without one they are joined by an empty line.
judge:MODEL   an LLM by its LiteLLM name, which sees both answers in both orders (its key: the environment).
              verdict_ab is what it says with `chosen` as A, verdict_ba with `chosen` as B; if they disagree: a tie.
What the model sees: `none` the question; `profile` also the asker's posts; `oracle` not those, but what the asker wants
of an answer, which no real model knows: an upper bound. Nothing is cut silently: what is too long loses its last posts
(truncated), else it is unscored, as is whatever could not be judged. A tie is no win. Intervals resample users.
Exit: 0 done, 1 nothing could be scored, 2 the input is wrong, 130 interrupted. Examples:
  uv run evaluate.py --scorer scalar:ORG/REWARD-MODEL --condition profile --out profile.json
  uv run evaluate.py ORG/DATASET --scorer judge:openai/gpt-4o-mini --condition profile --split test --limit 100
"""

import contextlib
import importlib.metadata
import json
import os
import platform
import sys
import time
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm  # type: ignore[import-untyped]

# Every word that a model is shown, but for the data's own.
POSTS = "What the person who asks has written before, most relevant first:"
POST = "[{number}] {text}"
QUESTION, ASPECTS = "The person's question:", "What this person wants an answer to cover:"
JUDGE = (
    "Two answers to one person follow. Decide which of them serves this very person better.\n\n{message}"
    '\n\nAnswer A:\n{first}\n\nAnswer B:\n{second}\n\nReply with JSON alone: {{"verdict": "A"}} or {{"verdict": "B"}}.'
)
LETTER = {"verdict": {"type": "string", "enum": ["A", "B"]}}
SCHEMA = {"type": "object", "properties": LETTER, "required": ["verdict"], "additionalProperties": False}
NEEDED = {"none": (), "profile": ("profile",), "oracle": ("rubric_aspects",)}
WAITS = (1.0, 5.0, 20.0)  # seconds between tries of a call
SEED, RESAMPLES, TRIAL = 0, 2000, 10  # a model that has failed on TRIAL pairs and scored none is given up
TOO_LONG, NOTHING = "too long", "no "  # reasons that are no failure of the model begin so
Row = dict[str, Any]
Score = Callable[[str, Row], Row]  # from what the asker says, and a row, to its scores or verdicts and the outcome


class UsageError(Exception):
    """What the user can put right, in one line."""


class UnscoredError(Exception):
    """Why a pair has no score."""


def user_message(row: Row, condition: str, posts: int) -> str:
    """What the asker says to the model: never the narrative, and aspects under `oracle` alone."""
    if condition == "oracle":
        aspects = (each["aspect"] or "" for each in row["rubric_aspects"])
        return "\n- ".join((f"{row['question']}\n\n{ASPECTS}", *aspects)).strip()
    shown = [each for each in (row["profile"] or [])[:posts] if each["text"]] if condition == "profile" else []
    texts = (POST.format(number=number, text=post["text"]) for number, post in enumerate(shown, 1))
    text = "\n\n".join((POSTS, *texts, f"{QUESTION}\n{row['question']}")) if shown else str(row["question"])
    return text.strip()


def scalar(model: str, options: Namespace) -> Score:
    """A sequence classifier, one answer at a time: nothing is padded."""
    import torch
    from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer

    device, trust = options.device or ("cuda" if torch.cuda.is_available() else "cpu"), options.trust_remote_code
    load: Row = {"dtype": getattr(torch, options.dtype), "output_loading_info": True, "trust_remote_code": trust}

    def encode(message: str, answer: str) -> Any:  # special tokens come once: from the template, or from the tokenizer
        if tokenizer.chat_template is None:
            return tokenizer(f"{message}\n\n{answer}", return_tensors="pt")
        chat = [{"role": "user", "content": message}, {"role": "assistant", "content": answer}]
        return tokenizer.apply_chat_template(chat, tokenize=True, return_dict=True, return_tensors="pt")

    if (labels := AutoConfig.from_pretrained(model, trust_remote_code=trust).num_labels) > 2:
        raise UsageError(f"{model}: has {labels} labels; a reward model has one, or two (bad, good)")
    tokenizer: Any = AutoTokenizer.from_pretrained(model, trust_remote_code=trust)
    classifier, loaded = AutoModelForSequenceClassification.from_pretrained(model, **load)
    if lost := sorted(map(str, (*loaded["missing_keys"], *loaded["mismatched_keys"]))):
        raise UsageError(f"{model}: lacks the weights that score an answer ({lost[0]}): is it a reward model?")
    classifier.eval().to(device)
    encode("Which?", "This.")  # a template that cannot take them fails here, not at the first pair
    positions = getattr(classifier.config.get_text_config(), "max_position_embeddings", None)
    most = min(size for size in (options.max_tokens, tokenizer.model_max_length, positions) if size)

    def score(message: str, row: Row) -> Row:
        inputs = [encode(message, row[side]) for side in ("chosen", "rejected")]
        if max(each["input_ids"].shape[1] for each in inputs) > most:
            raise UnscoredError(TOO_LONG)
        try:
            with torch.inference_mode():
                logits = [classifier(**each.to(device)).logits[0].double().tolist() for each in inputs]
        except (RuntimeError, IndexError) as error:  # out of memory, for one
            raise UnscoredError(f"the model failed: {one_line(error)}") from None
        chosen, rejected = (each[0] if len(each) == 1 else each[1] - each[0] for each in logits)
        if not (abs(chosen) < float("inf") and abs(rejected) < float("inf")):
            raise UnscoredError("a score is not finite")
        outcome = "win" if chosen > rejected else "loss" if chosen < rejected else "tie"
        return {"score_chosen": chosen, "score_rejected": rejected, "outcome": outcome}

    return score


def judge(model: str, options: Namespace) -> Score:
    """An LLM that compares, at temperature 0, in both orders."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else importing it fetches a price list
    import litellm

    litellm.suppress_debug_info = True
    reply_format = {"type": "json_schema", "json_schema": {"name": "verdict", "schema": SCHEMA, "strict": True}}
    settings: Row = {"model": model, "api_base": options.api_base, "response_format": reply_format, "temperature": 0}
    settings |= {"max_tokens": 4096, "max_retries": 0, "timeout": 120}  # room for models that think first
    worked: list[str] = []  # a refusal after that is about one pair, not about the key

    def verdict(text: str) -> str:
        messages = [{"role": "user", "content": text}]
        if litellm.token_counter(model=model, messages=messages) > options.max_tokens:
            raise UnscoredError(TOO_LONG)
        for wait in (*WAITS, None):
            try:
                reply = litellm.completion(messages=messages, **settings).choices[0].message.content
                worked.append(model)
                break
            except Exception as error:  # LiteLLM passes on whatever a provider's client raises
                if (status := getattr(error, "status_code", None) or 0) in (401, 403, 404) and not worked:
                    raise UsageError(f"{model}: {one_line(error)}") from None
                if wait is None or not (status in (408, 409, 429) or status >= 500):
                    long = isinstance(error, litellm.ContextWindowExceededError)
                    raise UnscoredError(TOO_LONG if long else f"the call failed: {one_line(error)}") from None
                time.sleep(wait)
        with contextlib.suppress(TypeError, ValueError, RecursionError):  # all but thoughts counts, never a part of it
            if (found := json.loads((reply or "").rpartition("</think>")[2])) in ({"verdict": "A"}, {"verdict": "B"}):
                return str(found["verdict"])
        raise UnscoredError(f"the reply is not the verdict that was asked for: {str(reply)[:80]!r}")

    def score(message: str, row: Row) -> Row:
        both = ((row["chosen"], row["rejected"]), (row["rejected"], row["chosen"]))
        ab, ba = (verdict(JUDGE.format(message=message, first=first, second=second)) for first, second in both)
        return {"verdict_ab": ab, "verdict_ba": ba, "outcome": "tie" if ab == ba else "win" if ab == "A" else "loss"}

    return score


def evaluate(score: Score, options: Namespace, subset: str, row: Row) -> Row:
    """One item of the result."""
    item: Row = {"pair_id": row.get("pair_id"), "id": row.get("id"), "subset": subset, "user_key": row.get("user_key")}
    item |= {"outcome": "unscored", "reason": None, "truncated": False}
    needed = ("question", "chosen", "rejected", *(("rubric_aspects",) if options.condition == "oracle" else ()))
    if lacking := [name for name in needed if not str(row[name] or "").strip()]:
        return item | {"reason": f"{NOTHING}{', '.join(lacking)}"}
    most = min(options.posts, len(row["profile"] or [])) if options.condition == "profile" else 0
    for shown in range(most, -1, -1):
        item["truncated"] = shown < most
        try:
            return item | {"reason": None} | score(user_message(row, options.condition, shown), row)
        except UnscoredError as why:
            item["reason"] = str(why)
            if item["reason"] != TOO_LONG:
                break
    return item


def figures(items: Sequence[Row]) -> Row:
    """What the items come to. Accuracies are of the scored ones; the bootstrap is clustered by user, else by row."""
    outcomes = [item["outcome"] for item in items]
    wins, losses, ties, unscored = map(outcomes.count, ("win", "loss", "tie", "unscored"))
    n, scored, rng = len(items), wins + losses + ties, np.random.default_rng(SEED)
    keys = [item["user_key"] or row for row, item in enumerate(items) if item["outcome"] != "unscored"]
    _, user = np.unique([str(key) for key in keys], return_inverse=True)
    won, of = np.bincount(user, [each == "win" for each in outcomes if each != "unscored"]), np.bincount(user)
    draws = (rng.integers(len(of), size=len(of)) for _ in range(RESAMPLES if len(of) > 1 else 0))
    drawn = [won[draw].sum() / of[draw].sum() for draw in draws]
    ci95 = np.percentile(drawn, (2.5, 97.5)).tolist() if drawn else None  # one user tells nothing of the spread
    found: Row = {"accuracy": {"value": wins / scored if scored else None, "ci95": ci95}}
    found["accuracy_half"] = (wins + ties / 2) / scored if scored else None
    found |= {"n": n, "wins": wins, "losses": losses, "ties": ties, "unscored": unscored, "coverage": scored / n}
    return found | {"bounds": [wins / n, (wins + unscored) / n], "truncated": sum(item["truncated"] for item in items)}


def read(options: Namespace) -> tuple[str, list[tuple[str, Any, int]]]:
    """The split's name and where its rows are: subset, dataset, number."""
    import datasets

    if (Path(options.data) / "ledger.sqlite").exists():  # else it would take the run's own pairs for a dataset
        raise UsageError(f"{options.data}: is a run; the dataset is {options.data}/dataset")
    configs: list[str] = datasets.get_dataset_config_names(options.data)
    subsets = [name for name in configs if name not in ("all", "ratings")] or configs
    if options.config != "all" and not (subsets := [name for name in configs if name == options.config]):
        raise UsageError(f"{options.data}: no config {options.config!r}; there is {', '.join(configs)}")
    splits = {name: list(datasets.get_dataset_split_names(options.data, name)) for name in subsets}
    there = list(dict.fromkeys(each for names in splits.values() for each in names))
    split: str = options.split or next((name for name in there if not name.endswith("_unvalidated")), "")
    if split not in there:
        raise UsageError(f"{options.data}: no {options.split or 'validated'} split; there is {', '.join(there)}")
    jobs = []
    for name in (name for name in subsets if split in splits[name]):
        rows = datasets.load_dataset(options.data, name, split=split)
        if missing := {"question", "chosen", "rejected", *NEEDED[options.condition]} - set(rows.column_names):
            raise UsageError(f"{options.data}, {name}: has no column {', '.join(sorted(missing))}")
        jobs += [(name, rows, index) for index in range(len(rows))]
    return split, jobs[: options.limit]


def run(options: Namespace) -> Row:
    """The result: the summary's figures, then the items."""
    kind, _, model = options.scorer.partition(":")
    if kind not in ("scalar", "judge") or not model:
        raise UsageError(f"--scorer {options.scorer}: scalar:MODEL or judge:MODEL is needed")
    if min(options.posts, options.max_tokens, options.workers, options.limit or 1) < 1 or options.limit == 0:
        raise UsageError("--posts, --limit, --max-tokens and --workers are numbers from 1")
    if (out := options.out) and (out.exists() > out.is_file() or not os.access(out.parent, os.W_OK)):
        raise UsageError(f"--out {out}: cannot be a file there")
    (split, jobs), score = read(options), (scalar if kind == "scalar" else judge)(model, options)
    start, items, failed = time.monotonic(), list[Row](), 0
    pool = ThreadPoolExecutor(options.workers if kind == "judge" else 1)
    found = pool.map(lambda job: evaluate(score, options, job[0], job[1][job[2]]), jobs)
    try:
        for item in tqdm(found, total=len(jobs), unit="pair", file=sys.stderr):
            items.append(item)
            failed += not (item["reason"] or TOO_LONG).startswith((TOO_LONG, NOTHING))
            if failed >= min(TRIAL, len(jobs)) and all(each["outcome"] == "unscored" for each in items):
                raise UsageError(f"{options.scorer}: none of {failed} pairs scored; given up, as: {item['reason']}")
    finally:
        pool.shutdown(cancel_futures=True)
    data = Path(options.data).resolve().name if Path(options.data).exists() else options.data
    note = {"note": "oracle: upper bound" if options.condition == "oracle" else None, "data": data}
    result: Row = {"scorer": options.scorer, "condition": options.condition} | note
    result |= {"config": options.config, "split": split, "posts": options.posts} | figures(items)
    judged = result["wins"] + result["losses"] + result["ties"] if kind == "judge" else 0
    result["order_consistency"] = 1 - result["ties"] / judged if judged else None
    subsets = dict.fromkeys(item["subset"] for item in items)
    result["by_subset"] = {name: figures([item for item in items if item["subset"] == name]) for name in subsets}
    packages = ("datasets", "numpy", *(("transformers", "torch") if kind == "scalar" else ("litellm",)))
    versions = {"python": platform.python_version()} | {name: importlib.metadata.version(name) for name in packages}
    return result | {"scoring_seconds": time.monotonic() - start, "versions": versions, "seed": SEED, "items": items}


def one_line(error: Exception) -> str:
    """An error without line breaks, and without any key of the environment."""
    text = " ".join(f"{type(error).__name__}: {error} {error.__cause__ or ''}".split()).removeprefix("UsageError: ")
    for name, value in os.environ.items():
        text = text.replace(value, "***") if value and name.endswith(("_KEY", "_TOKEN")) else text
    return "it has code; if you trust it, say --trust-remote-code" if "trust_remote_code" in text else text[:400]


def main() -> int:
    """Run as a command."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("data", metavar="DATA", nargs="?", default=str(Path(__file__).parent), help="folder or Hub id")
    parser.add_argument("--scorer", required=True, metavar="KIND:MODEL", help="scalar:MODEL or judge:MODEL")
    parser.add_argument("--condition", required=True, choices=NEEDED, help="what the model sees")
    parser.add_argument("--config", default="all", help="one subset; default: all of them")
    parser.add_argument("--split", help="default: the first that people have validated (not *_unvalidated)")
    parser.add_argument("--posts", type=int, default=10, help="under `profile`, at most (10)")
    parser.add_argument("--limit", type=int, metavar="N", help="the first N pairs alone")
    parser.add_argument("--max-tokens", type=int, default=8192, help="of an input (8192), or fewer if the model says")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="write the result there, not to stdout")
    parser.add_argument("--device", help="scalar: cpu, cuda, ...; default: cuda where there is one")
    parser.add_argument("--dtype", default="float32", choices=("float32", "bfloat16", "float16"), help="scalar")
    parser.add_argument("--trust-remote-code", action="store_true", help="scalar: run code that comes with the model")
    parser.add_argument("--api-base", metavar="URL", help="judge: where the model is served")
    parser.add_argument("--workers", type=int, default=8, help="judge: pairs at once (8)")
    options = parser.parse_args()
    try:
        with contextlib.redirect_stdout(sys.stderr):  # whatever libraries print is no part of the result
            result = run(options)
        text = json.dumps(result, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        if options.out:
            (new := (out := options.out.resolve()).with_name(f".{out.name}.new")).write_text(text, encoding="utf-8")
            new.replace(out)
        else:
            sys.stdout.write(text)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # what is wrong with a file, the Hub or a model is often told by a library
        where = "" if isinstance(error, UsageError) else f"{options.data}, {options.scorer}: "
        print(f"evaluate.py: {where}{one_line(error)}", file=sys.stderr)
        return 2
    value, ci95 = result["accuracy"].values()
    within = f" (95 %: {ci95[0]:.3f} to {ci95[1]:.3f})" if ci95 else ""
    accuracy = "nothing could be scored" if value is None else f"accuracy {value:.3f}{within}"
    counts = ", ".join(f"{name} {result[name]}" for name in ("n", "ties", "unscored", "truncated"))
    print(f"{options.scorer}, {result['note'] or options.condition}: {accuracy}; {counts}", file=sys.stderr)
    return 0 if value is not None else 1


if __name__ == "__main__":
    sys.exit(main())
