"""The part of the package that is written in Rust."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Literal, Protocol, final

import pyarrow as pa

__version__: str

def run(arguments: Sequence[str]) -> int:
    """Runs a command of the program; the first argument is its name. Returns the exit status.

    It ends the process where the arguments are wrong or request help.
    """

class ArrowArray(Protocol):
    """A record batch of any library: it has the Arrow PyCapsule method for arrays."""

    def __arrow_c_array__(self, requested_schema: object | None = None, /) -> tuple[object, object]: ...

class ArrowStream(Protocol):
    """A table of any library: it has the Arrow PyCapsule method for streams."""

    def __arrow_c_stream__(self, requested_schema: object | None = None, /) -> object: ...

class PolicyError(ValueError):
    """A policy has errors. The message is the rendered findings."""

@final
class Checker:
    """Checks transcripts of agents. Files are read in the constructor and never again.

    A checker can be pickled: the pickle holds the contents of the files, so another
    machine needs none of them. Threads may share one, and it works without the GIL.

    Each method takes a record batch or a table with these columns, others are ignored:

    | Column | Type | |
    |---|---|---|
    | `session_id` | string or integer | the session that the turn belongs to |
    | `turn` | integer | its number |
    | `role` | string | who speaks: `user`, `assistant`, `tool` and others |
    | `text` | string | what was said; null is an empty text |

    The rows of a session follow each other, and its turns ascend from 0 or 1 without gaps. Sessions
    may be in any order. Every method raises `TypeError` if a column is missing or has
    another type, naming it, and `ValueError` if a session is unordered or incomplete,
    naming the session and the turn. Every method returns all of its columns even where
    there is no row.
    """

    def __new__(
        cls,
        config: str | PathLike[str] | None = None,
        policies: Sequence[str | PathLike[str]] = (),
        *,
        gaps: bool = False,
        container: Literal["auto", "chat-lines", "envelope-lines", "traces"] | None = None,
    ) -> Checker:
        """Reads the configuration and the policies.

        config: a `mangle-ls.toml`, or the folder that has it. Without it the defaults count.
        policies: files and folders of Mangle, in addition to those of the configuration.
        gaps: accept sessions whose turns have gaps or begin after 1.
        container: each `text` is a whole record of a log, in JSON, and says itself who speaks; there is no column
            `role`. `auto` finds out the format for each session, among them exports of LangSmith and OpenInference.

        Raises `PolicyError` if a policy or the configuration has errors, and `FileNotFoundError` if
        something that is named is not there or cannot be read.
        """

    def check(self, batch: ArrowArray | ArrowStream, /) -> pa.RecordBatch:
        """Returns the findings, sorted by session, turn, start, end, code and headline.

        | Column | Type | |
        |---|---|---|
        | `session_id` | string | |
        | `turn` | int64 | null for what concerns the session as a whole |
        | `code`, `rule`, `severity`, `headline` | string | as in the output of `mangle-ls check` |
        | `notes` | list of string | |
        | `start`, `end` | int64 | bytes of the `text` in the input; `end` is exclusive |
        | `path` | list of string | the keys that lead to the place in the envelope |
        | `suggestion` | string | null if there is none |
        """

    def parse(self, batch: ArrowArray | ArrowStream, /) -> pa.RecordBatch:
        """Returns the envelopes: one row a reply, with `session_id`, `turn`, `stage`, `surface_response` and a column a field of the control packet."""

    def replay(self, batch: ArrowArray | ArrowStream, /) -> pa.RecordBatch:
        """Returns the verdicts of the policy: one row a request.

        | Column | Type | |
        |---|---|---|
        | `session_id` | string | |
        | `turn` | int64 | |
        | `request`, `action`, `target`, `payload` | string | what the reply requests |
        | `verdict` | string | `PERMIT` or `DENY` |
        | `why` | string | one sentence |
        | `rule` | string | place of the clause that decided it, null if none did |
        | `proof` | string | the derivation, a step a line |
        """

    def stats(self, batch: ArrowArray | ArrowStream, /) -> pa.RecordBatch:
        """Returns figures, a row a session: `session_id` and a column of float64 a figure.

        Figures of many sessions are the sums of their rows.
        """

    def report(self, batch: ArrowArray | ArrowStream, /, *, title: str | None = None) -> str:
        """Returns a page about the sessions, as HTML: one file without scripts that needs nothing else.

        It counts errors and warnings over time, by rule, shard, model and version, with the
        counts of `check`, `replay` and `stats`, and shows the ten worst sessions. Its
        size does not grow with the number of sessions. These columns are read where they exist,
        and may hold null:

        | Column | Type | |
        |---|---|---|
        | `time` | timestamp, date, integer or string | when the turn was: a text in ISO 8601, a number of seconds, or parts of them, since 1970; without a zone, UTC |
        | `model`, `shard` | string or integer | who answered; without it, what the reply itself says |
        | `version` | string or integer | what is to be compared; without it, the version of the protocol |

        title: the heading of the page.
        """

    def __reduce__(self) -> tuple[object, ...]: ...

@final
class Policy:
    """A Mangle program. Its files are read in the constructor and never again."""

    def __new__(cls, *paths: str | PathLike[str]) -> Policy:
        """Reads files and folders of Mangle.

        Raises `PolicyError` if one has errors, `FileNotFoundError` if a path is missing.
        """

    def query(
        self,
        atom: str,
        *,
        facts: Mapping[str, ArrowArray | ArrowStream] | None = None,
        reading: Literal["engine", "intended"] = "engine",
    ) -> pa.RecordBatch:
        """Returns the facts that fit an atom such as `permitted(Action, _)`, as texts of Mangle.

        There is a column for each argument, with the name that it has in the declaration, else in
        the atom; an atom without arguments has rows and no columns.
        facts: a table for each predicate, in addition to the facts of the program.
            Its columns have the names of the arguments in the declaration, in any order; where no declaration
            names them, they are the arguments in their order.
        reading: `engine` evaluates as the engine does, `intended` as the text intends.
        Raises `ValueError` if the atom is not one, a row is no fact, or the evaluation reaches a limit.
        Warns of what the answer does not take into account.
        """

    def evaluate(
        self,
        facts: Mapping[str, ArrowArray | ArrowStream],
        atom: str,
        *,
        reading: Literal["engine", "intended"] = "engine",
    ) -> pa.RecordBatch:
        """Returns the solutions of an atom where the program has these facts as well: `query` with `facts`."""

    def why(
        self,
        atom: str,
        *,
        facts: Mapping[str, ArrowArray | ArrowStream] | None = None,
        reading: Literal["engine", "intended"] = "engine",
    ) -> str:
        """Returns the proof of each solution of an atom; where there is none, what each rule lacks."""
