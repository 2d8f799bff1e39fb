"""What the tests have in common: a checker, sessions, and what it finds in them."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

import mangle_ls

# Processes that engines start find the package where this one has it.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(Path(mangle_ls.__file__).parent.parent), os.environ.get("PYTHONPATH")]))


@pytest.fixture(scope="session")
def checker(tmp_path_factory: pytest.TempPathFactory):
    policy = tmp_path_factory.mktemp("policy") / "schemas.mg"
    policy.write_text(
        "Decl task_status(Task, Status).\n"
        "Decl pending_action(Id, Action, Target, Payload, Time).\n"
        "Decl permitted(Action, Target, Payload).\n"
        "permitted(/read_file, Target, Payload) :- pending_action(_, /read_file, Target, Payload, _).\n"
    )
    return mangle_ls.Checker(policies=[policy])


@pytest.fixture(scope="session")
def turns():
    """A table of 60 sessions with 1 to 40 turns, ordered by session and turn."""
    return make_turns(60, 40)


def make_turns(sessions: int, longest: int, seed: int = 1):
    import pyarrow as pa

    choose = random.Random(seed)
    columns: dict[str, list] = {"session_id": [], "turn": [], "role": [], "text": []}
    for id_ in sorted(f"session-{number}" for number in range(sessions)):
        for turn in range(1, choose.randint(1, longest) + 1):
            columns["session_id"].append(id_)
            columns["turn"].append(turn)
            columns["role"].append("assistant" if turn % 2 == 0 else "user")
            columns["text"].append(choose.choice(TEXTS) if turn % 2 == 0 else choose.choice(["what is bad?", "go on", None, "naïve 🦀 bad"]))
    types = {"session_id": pa.string(), "turn": pa.int64(), "role": pa.string(), "text": pa.string()}
    return pa.table({name: pa.array(values, types[name]) for name, values in columns.items()})


ENVELOPE = (
    '{"control_packet": {"intent_classification": {"category": "/query", "verb": "/debug", "target": "src", '
    '"constraint": "none", "confidence": 0.9}, "mangle_updates": ["%s"], "memory_operations": [], '
    '"tool_requests": [{"id": "req_1", "tool_name": "read_file", "tool_args": {"path": "a"}, "purpose": "see", "required": true}]}, '
    '"surface_response": "I look."}'
)
TEXTS = [
    ENVELOPE % "task_status(/build, /running).",
    ENVELOPE % "task_status(/build, /bad).",
    ENVELOPE % "undeclared(1).",
    (ENVELOPE % "task_status(/build, /done).")[:-40],
    "No envelope, and this is bad.",
    "",
]


def sorted_rows(table) -> list[str]:
    """The rows of a table of pyarrow, as texts in order: equal for equal results of any engine."""
    return sorted(repr(sorted(row.items())) for row in table.to_pylist())


@pytest.fixture(scope="session")
def expected(checker, turns):
    """What each method returns for all turns in one batch."""
    import pyarrow as pa

    batch = turns.combine_chunks().to_batches()[0]
    rows = {method: sorted_rows(pa.table(getattr(checker, method)(batch))) for method in ("check", "parse", "replay", "stats")}
    assert rows["check"], "the turns have no finding to compare"
    return rows
