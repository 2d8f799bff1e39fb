"""Measures the package: `python fleet.py equal|throughput|large|evaluate [SIZE]`.

Needs the program in `MANGLE_LS`, and what `tests/requirements.txt` lists. `cargo xtask test --step python` makes that environment.

    equal [SESSIONS]        the findings of the program and of each engine, and whether they are the same
    throughput [MB]         the program, DuckDB and Spark on one core
    large [MB]              Spark on two cores: time, and the memory of the driver and all workers together
    evaluate [FACTS]        `Policy.evaluate` with facts from Arrow against `mangle-ls query --facts` with the same CSV
"""

from __future__ import annotations

import hashlib
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

HERE = Path(__file__).parent
for folder in (HERE.parent / "tests", HERE.parent / "package"):
    sys.path.insert(0, str(folder))

from conftest import make_turns, sorted_rows  # noqa: E402
from sessions_on_disk import findings_of_program, of_package, write_sessions  # noqa: E402
from spark_session import spark_session  # noqa: E402

import mangle_ls  # noqa: E402

PROGRAM = os.environ["MANGLE_LS"]


def digest(rows: list[str]) -> str:
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:16]


SPARK = {
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.execution.arrow.maxBytesPerBatch": "16m",
}


def equal(sessions: int = 1000) -> None:
    """Prints a line for the program and each engine; fails where one differs."""
    turns = make_turns(sessions, 40)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_sessions(turns, folder)
        program = findings_of_program(PROGRAM, folder)
        checker = mangle_ls.Checker(folder)
        parquet = folder / "turns.parquet"
        pq.write_table(turns, parquet, row_group_size=1000)
        one_batch = pa.table(checker.check(turns))
        results = {"one batch": one_batch, **by_engines(checker, turns, parquet)}
        print(f"{sessions} sessions, {turns.num_rows} turns")
        print(f"{'program':24}{len(program):8} findings  {digest(program)}")
        for engine, table in results.items():
            rows = of_package(table)
            print(f"{engine:24}{len(rows):8} findings  {digest(rows)}")
            assert rows == program, f"{engine} differs from the program"
            assert sorted_rows(table) == sorted_rows(one_batch), f"{engine} differs from one batch"


def by_engines(checker: mangle_ls.Checker, turns: pa.Table, parquet: Path) -> dict[str, pa.Table]:
    """What each engine finds, by its name."""
    import daft
    import duckdb
    import polars
    import ray

    import mangle_ls.daft
    import mangle_ls.duckdb
    import mangle_ls.polars
    import mangle_ls.ray
    import mangle_ls.spark

    found = {}
    spark = spark_session("local[2]", SPARK)
    for partitions in (1, 3, 16):
        frame = spark.read.parquet(str(parquet)).repartition(partitions + 2)
        result = mangle_ls.spark.check(frame, checker, partitions=partitions)
        found[f"Spark, {partitions} partitions"] = result.toArrow()
    spark.stop()
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=400 << 20, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    tables = ray.get(mangle_ls.ray.check(ray.data.from_arrow(turns), checker, groups=8).to_arrow_refs())
    found["Ray"] = pa.concat_tables([table for table in tables if table.num_rows])
    ray.shutdown()
    found["Daft"] = mangle_ls.daft.check(daft.read_parquet(str(parquet)), checker, groups=8).to_arrow()
    found["DuckDB"] = mangle_ls.duckdb.check(duckdb.sql(f"FROM '{parquet}'"), checker)
    found["polars"] = pa.table(mangle_ls.polars.check(polars.scan_parquet(parquet), checker))
    return found


def large_parquet(folder: Path, megabytes: int) -> Path:
    """Turns of that many bytes of text, in a few files; sessions are cut by none of their borders."""
    target, one = folder / "large", make_turns(2000, 40)
    target.mkdir()
    texts = sum(len(text or "") for text in one.column("text").to_pylist())
    copies = max(1, (megabytes << 20) // texts)
    ids = one.column("session_id").to_pylist()
    writer, number = None, 0
    for copy in range(copies):
        if copy % 32 == 0:
            if writer:
                writer.close()
            writer, number = pq.ParquetWriter(target / f"{number}.parquet", one.schema), number + 1
        renamed = pa.array([f"{copy:05}-{id_}" for id_ in ids])
        writer.write_table(one.set_column(0, "session_id", renamed))
    writer.close()
    print(f"{copies * one.num_rows} turns, {copies * texts >> 20} MB of text")
    return target


def processor_time() -> float:
    """Seconds that this process and those that it waited for have computed: another load on the machine does not count."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def timed(run: Callable[[], int]) -> tuple[float, int]:
    start = processor_time()
    count = run()
    return processor_time() - start, count


def throughput(megabytes: int = 64) -> None:
    """Median of three rounds in turn, on one core: processor time of the program and of DuckDB, the clock for Spark, whose processes stay."""
    import duckdb

    import mangle_ls.duckdb
    import mangle_ls.spark

    os.sched_setaffinity(0, {0})
    os.environ["RAYON_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parquet = large_parquet(folder, megabytes)
        turns = pq.read_table(parquet)
        write_sessions(turns, folder, in_one_file=True)
        checker = mangle_ls.Checker(folder)
        spark = spark_session("local[1]", SPARK)

        def by_program() -> int:
            arguments = [PROGRAM, "check", "--format", "json", "--max-findings", "0", ".", "--transcripts", "sessions/*.jsonl"]
            output = subprocess.run(arguments, cwd=folder, capture_output=True).stdout
            return output.count(b"\n")

        def by_duckdb() -> int:
            return mangle_ls.duckdb.check(duckdb.sql(f"FROM '{parquet}/*.parquet'"), checker, threads=1).num_rows

        def by_spark() -> int:
            return mangle_ls.spark.check(spark.read.parquet(str(parquet)), checker).count()

        def clock(run: Callable[[], int]) -> tuple[float, int]:
            start = time.perf_counter()
            count = run()
            return time.perf_counter() - start, count

        engines = {"program": by_program, "DuckDB": by_duckdb, "Spark": by_spark}
        by_spark()
        times: dict[str, list[float]] = {engine: [] for engine in engines}
        for _ in range(3):
            for engine, run in engines.items():
                seconds, count = (clock if engine == "Spark" else timed)(run)
                times[engine].append(seconds)
                print(f"  {engine:10}{seconds:8.2f} s  {count} findings")
        program = sorted(times["program"])[1]
        for engine, all_times in times.items():
            middle = sorted(all_times)[1]
            print(f"{engine:10}{middle:8.2f} s  {program / middle:.2f} of the program's throughput")


def resident(process: int) -> int:
    """Bytes that a process and its descendants hold: memory that several share is divided among them."""
    total, waiting = 0, [process]
    while waiting:
        current = waiting.pop()
        try:
            rollup = Path(f"/proc/{current}/smaps_rollup").read_text()
            for task in Path(f"/proc/{current}/task").iterdir():
                waiting.extend(map(int, (task / "children").read_text().split()))
        except OSError:
            continue
        total += next(int(line.split()[1]) << 10 for line in rollup.splitlines() if line.startswith("Pss:"))
    return total


def large(megabytes: int = 2048) -> None:
    import mangle_ls.spark

    peak, done = 0, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.2):
            peak = max(peak, resident(os.getpid()))

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parquet = large_parquet(folder, megabytes)
        write_sessions(make_turns(1, 2), folder)
        checker = mangle_ls.Checker(folder)
        spark = spark_session("local[2]", SPARK)
        watcher = threading.Thread(target=watch)
        watcher.start()
        target = str(folder / "findings")
        mangle_ls.spark.check(spark.read.parquet(str(parquet)), checker).write.parquet(target)
        count = spark.read.parquet(target).count()
        done.set()
        watcher.join()
        print(f"{count} findings; at most {peak >> 20} MB in driver and workers together")
        spark.stop()


PEOPLE = """Decl parent(Parent, Child) bound [/number, /number].
Decl grandparent(Grandparent, Grandchild).
grandparent(G, C) :- parent(G, P), parent(P, C), G < 1000.
"""


def evaluate(facts: int = 1_000_000) -> None:
    """Median of five rounds in turn, in processor time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "people.mg").write_text(PEOPLE)
        parents = range(facts)
        table = pa.table({"Parent": pa.array(parents, pa.int64()), "Child": pa.array([(7 * n + 1) % facts for n in parents], pa.int64())})
        pyarrow.csv.write_csv(table, folder / "parent.csv")
        atom = "grandparent(G, C)"

        def by_program() -> int:
            arguments = [PROGRAM, "query", atom, "people.mg", "--facts", "parent.csv", "--format", "csv"]
            output = subprocess.run(arguments, cwd=folder, capture_output=True, check=True).stdout
            return output.count(b"\n") - 1

        def by_package() -> int:
            return mangle_ls.Policy(folder / "people.mg").evaluate({"parent": table}, atom).num_rows

        times: dict[str, list[float]] = {"program": [], "package": []}
        for _ in range(5):
            for who, run in (("program", by_program), ("package", by_package)):
                seconds, count = timed(run)
                times[who].append(seconds)
                print(f"  {who:10}{seconds:8.2f} s  {count} answers")
        for who, all_times in times.items():
            print(f"{who:10}{sorted(all_times)[2]:8.2f} s")


COMMANDS = {command.__name__: command for command in (equal, throughput, large, evaluate)}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]](*map(int, sys.argv[2:3]))
