"""Tests of the page about many sessions."""

from __future__ import annotations

import datetime
import html
import re

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import mangle_ls


def violations(page: str, word: str) -> dict[str, int]:
    """The table behind the chart of violations by a word."""
    body = page.split(f"<caption>Violations by {word}</caption>")[1].split("</table>")[0]
    rows = re.findall(r'<th scope="row">(.*?)</th><td>([\d,]*)</td>', body)
    return {html.unescape(name): int(count.replace(",", "")) for name, count in rows}


def found(checker, turns: pa.Table) -> int:
    """The errors and warnings of `check`, in sessions that no policy refuses anything in."""
    severities = pa.table(checker.check(turns)).column("severity").to_pylist()
    return sum(severity in ("error", "warning") for severity in severities)


def test_report_has_the_counts_of_check(checker, turns: pa.Table) -> None:
    page = checker.report(turns)
    assert page.startswith("<!DOCTYPE html>") and "<script" not in page
    by_rule = violations(page, "rule")
    of_check = {name: count for name, count in by_rule.items() if not name.startswith("PB5")}
    assert sum(of_check.values()) == found(checker, turns) > 0
    figures = pa.table(checker.stats(turns))
    assert f"{int(sum(figures.column('answers').to_pylist())):,} replies" in page
    assert violations(page, "model") == {"(no model recorded)": sum(by_rule.values())}
    assert "carry no time" in page


def answered(turns: pa.Table) -> pa.Table:
    """The sessions with a reply: what is found about a whole session has no model."""
    of_replies = turns.filter(pc.equal(turns.column("role"), "assistant")).column("session_id")
    return turns.filter(pc.is_in(turns.column("session_id"), of_replies.combine_chunks()))


def test_report_reads_labels(checker, turns: pa.Table, tmp_path) -> None:
    turns = answered(turns)
    rows = turns.num_rows
    day = datetime.datetime(2026, 3, 1, 23, tzinfo=datetime.UTC)
    labelled = (
        turns.append_column("time", pa.array([day + datetime.timedelta(hours=row) for row in range(rows)]))
        .append_column("model", pa.array(["<m>" if row % 2 else "n" for row in range(rows)]))
        .append_column("version", pa.array([2] * rows))
        .append_column("shard", pa.array([None] * rows, pa.string()))
    )
    shuffled = labelled.take(pa.array(reversed(range(rows))))
    path = tmp_path / "page.html"
    page = mangle_ls.report(shuffled, checker, path, title="Week <9>")
    assert page == path.read_text() == mangle_ls.report(labelled, checker, title="Week <9>")
    assert "<h1>Week &lt;9&gt;</h1>" in page and "carry no time" not in page
    models = violations(page, "model")
    assert set(models) == {"<m>", "n"} and sum(models.values()) == sum(violations(page, "rule").values())
    assert set(violations(page, "version")) == {"2"}


@pytest.mark.parametrize(
    "times",
    [
        pa.array(["2026-03-01T13:00:00+01:00"]),
        pa.array([datetime.datetime(2026, 3, 1, 12)], pa.timestamp("us")),
        pa.array([1772366400000]),
        pa.array([1772366400], pa.timestamp("s", "Europe/Paris")),
    ],
)
def test_times_of_all_types_are_utc(checker, times: pa.Array) -> None:
    turn = {"session_id": ["a"], "turn": [1], "role": ["assistant"], "text": ["No envelope."], "time": times}
    assert '<th scope="row">2026-03-01 12:00</th>' in checker.report(pa.table(turn))


def test_wrong_columns_are_named(checker, turns: pa.Table) -> None:
    wrong = turns.append_column("time", pa.array([1.5] * turns.num_rows))
    with pytest.raises(TypeError, match="time"):
        mangle_ls.report(wrong, checker)
    with pytest.raises(TypeError, match="session_id"):
        mangle_ls.report(turns.drop_columns(["session_id"]), checker)


def test_report_of_nothing_says_so(checker, turns: pa.Table) -> None:
    assert "There is no reply" in mangle_ls.report(turns.slice(0, 0), checker)
