#!/usr/bin/env python3
"""Checks every message of every feature against the specification, as the clients in tests/clients, in all encodings.

    run.py MANGLE-LS [--client NAME] [--encoding utf-8|utf-16|utf-32] [--step N]

Needs lsprotocol. Prints `ok …` or `not ok …` a session (the Test Anything Protocol), and what is wrong.
"""

import argparse
import collections
import json
import pathlib
import shutil
import sys
import tempfile

import selftest
import strict
from lsprotocol import types as lsp
from session import Session, play

ROOT = pathlib.Path(__file__).parent.parent.parent
ENCODINGS = ["utf-8", "utf-16", "utf-32"]

# A file with characters of one to four bytes before everything that has a place, with CRLF, and with damage.
WIDE = (
    '# 🦀 é https://example.org/🦀\r\nDecl wide(Key, Value)\r\n  descr [doc("🦀 says é")]\r\n  bound [/string, /number].\r\n\r\n'
    'wide("🦀", 1). wide("é🦀", 2).\r\nwider("🦀", X) :- wide("🦀", X), !narrow("🦀", X).\r\n'
    'narrow("🦀é", N) :- wide(_, X) |> do fn:group_by(), let N = fn:sum(X).\r\n'
)
# What no program loads with.
BROKEN = '/* 🦀 */ broken("🦀", X :- wide("🦀" X).\r\n'

# What such an agent said: updates in strings in strings, one that is lost, one that nobody declared, and a line that is no record.
ENVELOPE = {
    "control_packet": {
        "intent_classification": {"category": "/mutation", "verb": "/fix", "target": "constitution.mg"},
        "mangle_updates": ['wide("🦀é", 1).', 'wide("🦀", 2)', 'wyde("🦀").'],
    },
    "surface_response": "🦀 mended é.",
}
RECORDS = [{"role": "user", "content": "🦀?"}, {"role": "assistant", "content": json.dumps(ENVELOPE, ensure_ascii=False)}]
SAID = "\r\n".join([json.dumps(record, ensure_ascii=False) for record in RECORDS] + ['{"role": ', ""])

# Each of the damaged programs is another one, so that its properties are checked anew: in few worlds.
SMALL_WORLDS = "\n[verify]\nfacts = 1\nseconds = 1\n"

# A sample kernel that asks for a prompt.
KERNEL = '# @preview name: next 🦀\r\n# @preview shard: coder-1 coder\r\nshard_online(/coder).\r\n'

# How many sentences of one session are printed.
PRINTED = 12


def programs(into):
    """Copies of the examples, each with the wide file: names of folders, and the files to open."""
    for name in ("guardian", "incident"):
        folder = into / name
        shutil.copytree(ROOT / "examples" / name, folder)
        with (folder / "mangle-ls.toml").open("a") as settings:
            settings.write(SMALL_WORLDS)
        # The incident does not load as it is; of the guardian there are facts, prompts and verdicts, until it is edited.
        wide = WIDE if name == "guardian" else WIDE + BROKEN
        (folder / "wide 🦀.mg").write_bytes(wide.encode())
        (folder / "transcripts").mkdir()
        (folder / "transcripts" / "said 🦀.jsonl").write_bytes(SAID.encode())
        (folder / "next 🦀.kernel.mg").write_bytes(KERNEL.encode())
        opened = ["next 🦀.kernel.mg", "constitution.mg", "campaign.mg", "wide 🦀.mg", "schemas.gl", "transcripts/said 🦀.jsonl"]
        yield folder, {file: (folder / file).read_bytes().decode() for file in opened}


def refuses_the_rest(session):
    """Requests that are not promised are unknown to the server, and said to be."""
    ours = {"initialize", "shutdown"} | set(session.promised)
    for method, (call, answer, *_) in lsp.METHOD_TO_TYPES.items():
        if answer is None or method in ours or lsp.message_direction(method) not in ("clientToServer", "both"):
            continue
        params = strict.smallest(strict.hints(call).get("params", type(None)))
        code = session.wire.request(method, params).get("error", {}).get("code")
        if code != -32601:
            session.report(f"{method} is not promised, and the answer is not MethodNotFound but {code}")


def run(server, client, encoding, folder, files, step):
    """One session; gives its sentences, and the session."""
    said = collections.Counter()

    def report(sentence):
        said[sentence] += 1

    known = json.loads((ROOT / "tests/clients" / f"{client}.json").read_text())
    session = Session(server, client, known, encoding, folder, report)
    try:
        play(session, files, step, f"{client} {encoding} {folder.name}")
    except Exception as error:  # whatever it is, the other sessions go on
        said[f"the session ended early: {type(error).__name__}: {error}"] += 1
        session.wire.process.kill()
    return said, session


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("server")
    arguments.add_argument("--client")
    arguments.add_argument("--encoding")
    arguments.add_argument("--step", type=int, default=701, help="characters between two places")
    arguments = arguments.parse_args()
    failed, judged, sessions = not selftest.run(), 0, 0
    delivered, promised = collections.Counter(), set()
    clients = sorted(path.stem for path in (ROOT / "tests/clients").glob("*.json"))
    with tempfile.TemporaryDirectory() as temporary:
        for folder, files in programs(pathlib.Path(temporary).resolve()):
            for client in clients:
                for encoding in ENCODINGS:
                    if arguments.client not in (None, client) or arguments.encoding not in (None, encoding):
                        continue
                    said, session = run(arguments.server, client, encoding, folder, files, arguments.step)
                    sessions, judged = sessions + 1, judged + session.judged
                    delivered += session.delivered
                    promised |= set(getattr(session, "promised", []))
                    failed |= bool(said)
                    verdict = "not ok" if said else "ok"
                    print(f"{verdict} - {client}, {encoding}, {folder.name}: {session.judged} messages", flush=True)
                    for sentence, times in said.most_common(PRINTED):
                        print(f"  {times} x {sentence:.600}")
                    if len(said) > PRINTED:
                        print(f"  and {len(said) - PRINTED} more")
        said, session = collections.Counter(), None
        known = json.loads((ROOT / "tests/clients/vscode.json").read_text())
        session = Session(arguments.server, "vscode", known, "utf-16", temporary, lambda sentence: said.update([sentence]))
        session.start()
        refuses_the_rest(session)
        session.leave()
        failed |= bool(said)
        print("not ok" if said else "ok", "- what is not promised is refused")
        for sentence in said:
            print(f"  {sentence}")
    if arguments.client is None and arguments.encoding is None:
        silent = sorted(promised - set(delivered))
        failed |= bool(silent)
        print("not ok" if silent else "ok", f"- every promised request had an answer that says something{': not ' if silent else ''}{', '.join(silent)}")
    print(f"# {judged} messages in {sessions} sessions")
    sys.exit(failed)


if __name__ == "__main__":
    main()
