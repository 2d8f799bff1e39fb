"""Sessions as files that the program checks, and its findings as rows that can be compared with those of the package."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pyarrow as pa

POLICY = (
    "Decl task_status(Task, Status).\n"
    "Decl pending_action(Id, Action, Target, Payload, Time).\n"
    "Decl permitted(Action, Target, Payload).\n"
    "permitted(/read_file, Target, Payload) :- pending_action(_, /read_file, Target, Payload, _).\n"
)
CONFIG = '[[program]]\nname = "tasks"\n\n[transcripts]\ninclude = ["sessions/*.jsonl"]\n'
MEMBERS = ("code", "rule", "severity", "message", "notes")
COLUMNS = ("session_id", "turn", "code", "rule", "severity", "headline", "notes")


def write_sessions(turns: pa.Table, folder: Path, *, in_one_file: bool = False) -> None:
    """Writes a project: configuration, policy, and a file a session, a line a turn. Or all turns to one file, for measurements."""
    (folder / "mangle-ls.toml").write_text(CONFIG)
    (folder / "schemas.mg").write_text(POLICY)
    (folder / "sessions").mkdir()
    columns = [turns.column(name).to_pylist() for name in ("session_id", "role", "text")]
    last, file = None, None
    for session, role, text in zip(*columns, strict=True):
        if file is None or (session != last and not in_one_file):
            if file:
                file.close()
            file = (folder / "sessions" / f"{session}.jsonl").open("w")
        last = session
        record = {"role": role, "content": text or ""}
        file.write(json.dumps({"session_id": session, **record} if in_one_file else record) + "\n")
    if file:
        file.close()


def findings_of_program(program: str, folder: Path) -> list[str]:
    """What `mangle-ls check` finds in the sessions of a folder, in order."""
    arguments = [program, "check", "--format", "json", "--max-findings", "0", "sessions", "--transcripts", "sessions/*.jsonl"]
    output = subprocess.run(arguments, cwd=folder, capture_output=True, text=True).stdout
    found = [line for line in map(json.loads, output.splitlines()) if "code" in line and line["file"].startswith("sessions/")]
    return sorted(repr(_row(line)) for line in found)


def _row(finding: dict) -> list:
    turn = None if finding["start"] == finding["end"] == 0 else finding["line"]
    return [Path(finding["file"]).stem, turn, *(finding[member] for member in MEMBERS)]


def of_package(findings: pa.Table) -> list[str]:
    """The findings of a checker in the form of `findings_of_program`."""
    return sorted(repr([row[column] for column in COLUMNS]) for row in findings.to_pylist())
