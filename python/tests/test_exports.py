"""The queries of the page about notebooks read exports as LangSmith and Langfuse write them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import TEXTS

PAGE = Path(__file__).parent.parent.parent / "docs/notebook.md"
ANSWERS = [text for text in TEXTS if text]


def query_about(folder: str) -> str:
    """The query of the page that reads this folder."""
    blocks = re.findall(r'duckdb\.sql\("""(.*?)"""\)', PAGE.read_text(), re.DOTALL)
    (query,) = [block for block in blocks if f"'{folder}/" in block]
    return query


def times() -> list[str]:
    return [f"2026-11-03T09:{14 + number:02}:00Z" for number in range(len(ANSWERS))]


def langsmith() -> pa.Table:
    outputs = [
        json.dumps({"generations": [[{"text": answer}]]} if number % 2 else {"choices": [{"message": {"content": answer}}]})
        for number, answer in enumerate(ANSWERS)
    ]
    columns = {
        "id": [f"run-{number}" for number in range(len(ANSWERS))],
        "trace_id": ["t-7"] * len(ANSWERS),
        "run_type": ["llm"] * len(ANSWERS),
        "start_time": times(),
        "inputs": ["{}"] * len(ANSWERS),
        "outputs": outputs,
        "extra": [json.dumps({"metadata": {"thread_id": "thread"}})] * len(ANSWERS),
    }
    tool = {"id": ["tool"], "trace_id": ["t-7"], "run_type": ["tool"], "start_time": ["2026-11-03T09:00:00Z"]}
    return pa.concat_tables([pa.table(columns), pa.table(tool)], promote_options="default")


def langfuse() -> pa.Table:
    outputs = [json.dumps({"role": "assistant", "content": answer}) if number % 2 else answer for number, answer in enumerate(ANSWERS)]
    return pa.table(
        {
            "id": [f"observation-{number}" for number in range(len(ANSWERS))],
            "trace_id": ["thread"] * len(ANSWERS),
            "type": ["GENERATION"] * len(ANSWERS),
            "start_time": times(),
            "output": outputs,
        }
    )


@pytest.mark.parametrize(("folder", "export"), [("langsmith", langsmith), ("langfuse", langfuse)])
def test_an_export_has_the_findings_of_its_answers(checker, tmp_path, monkeypatch, folder, export) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    from mangle_ls.duckdb import check

    (tmp_path / folder).mkdir()
    pq.write_table(export(), tmp_path / folder / "export.parquet")
    monkeypatch.chdir(tmp_path)
    found = check(duckdb.sql(query_about(folder)), checker)
    count = len(ANSWERS)
    plain = {"session_id": ["thread"] * count, "turn": list(range(1, count + 1)), "role": ["assistant"] * count, "text": ANSWERS}
    assert found.num_rows > 0
    assert found.to_pylist() == pa.table(checker.check(pa.table(plain))).to_pylist()
