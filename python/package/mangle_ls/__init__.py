"""Checks transcripts of agents, and evaluates Mangle policies, over Arrow data.

`Checker` takes a record batch with one row a turn and returns a record batch of
findings, envelopes, verdicts or figures. `Policy` answers queries of a Mangle
program, over facts from any data frame.

Every frame that speaks the Arrow PyCapsule interface is an input: pyarrow, polars,
DuckDB, pandas 2.2 and others. The modules `mangle_ls.spark`, `mangle_ls.ray`,
`mangle_ls.daft`, `mangle_ls.duckdb` and `mangle_ls.polars` check whole data sets.
Each imports its engine, so none is imported here.

    import mangle_ls, pyarrow as pa

    checker = mangle_ls.Checker(policies=["policies"])
    turns = pa.record_batch({"session_id": ["a"], "turn": [1], "role": ["assistant"], "text": ["Hello"]})
    print(checker.check(turns).to_pylist())

`report` writes a page with charts about many sessions.
"""

from ._native import Checker, Policy, PolicyError, __version__
from ._report import report

__all__ = ["Checker", "Policy", "PolicyError", "__version__", "report"]
