"""Asks an engine which of eleven replies it accepts, under each file that mangle-ls generates for one policy.

Policy and replies are those that the tests of the crate reply-grammar use with llguidance.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(__file__, "../../../crates/reply-grammar/src/tests/engine_table").resolve()

# The settings of the same tests, with shorter texts: engines that make an automaton of a pattern would be minutes at it.
SETTINGS = "[decoding]\nfields = []\nupdates = 3\nsurface = 20\ntext = 20\nstring = 12\nname = 2\n"

# How each file is generated, and which of the forms that an engine reads it has.
FILES = {
    "gbnf": (["--target", "gbnf"], "bnf"),
    "ebnf": (["--target", "ebnf"], "bnf"),
    "lark": (["--target", "lark"], "lark"),
    "regex": (["--target", "regex"], "regex"),
    "schema, raw": (["--target", "json-schema", "--dialect", "raw"], "schema"),
    "schema, decoded": (["--target", "json-schema", "--dialect", "decoded"], "schema"),
}


def run(engine, readers, differences):
    """Prints a line for each file that `differences` names.

    `readers` makes, for each form, a predicate of replies from the text of a file; `differences` has, for each file, what
    the engine decides otherwise than the declarations do. More than that is an error, and so is less: then the
    documentation is out of date.
    """
    replies = json.loads((TABLE / "replies.json").read_text(encoding="utf-8"))
    for file, expected in differences.items():
        arguments, form = FILES[file]
        accepts = readers[form](generate(arguments))
        found = {reply["what"] for reply in replies if bool(accepts(reply["reply"])) != reply["valid"]}
        if found == set(expected):
            same = f"as the declarations, but for {sorted(found)}" if found else "as the declarations"
            print(f"ok - {engine}, {file}: {len(replies)} replies {same}", flush=True)
        else:
            print(f"not ok - {engine}, {file}: decides {sorted(found)} otherwise, expected {sorted(expected)}", flush=True)


def generate(arguments):
    """What the program at hand, the first argument, generates of the policy."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "schemas.gl").write_bytes((TABLE / "schemas.gl").read_bytes())
        pathlib.Path(folder, "mangle-ls.toml").write_text(SETTINGS, encoding="utf-8")
        command = [sys.argv[1], "grammar", *arguments, folder]
        outcome = subprocess.run(command, capture_output=True, encoding="utf-8")
        if outcome.returncode:
            raise SystemExit(outcome.stderr)
        return outcome.stdout.rstrip("\n")
