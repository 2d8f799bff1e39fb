"""Tests that every engine gives the results of one batch, however the data are partitioned."""

from __future__ import annotations

import os
import random
import shutil

import pyarrow as pa
import pytest
from conftest import sorted_rows
from spark_session import spark_session

METHODS = ("check", "parse", "replay", "stats")
RENAMED = {"session": "chat", "turn": "n", "role": "who", "text": "what was said"}


@pytest.fixture(scope="module")
def shuffled(turns: pa.Table) -> pa.Table:
    """The turns in no order, with a column that no checker reads."""
    order = list(range(turns.num_rows))
    random.Random(7).shuffle(order)
    return turns.append_column("model", pa.array(["m"] * turns.num_rows)).take(order)


@pytest.fixture(scope="module")
def renamed(shuffled: pa.Table) -> pa.Table:
    return shuffled.rename_columns([*RENAMED.values(), "model"])


@pytest.fixture(scope="module")
def numbered(shuffled: pa.Table) -> pa.Table:
    """The shuffled turns with numbers for sessions."""
    ids = [int(id_.split("-")[1]) for id_ in shuffled.column("session_id").to_pylist()]
    return shuffled.set_column(0, "session_id", pa.array(ids, pa.int64()))


@pytest.fixture(scope="module")
def expected_numbered(numbered: pa.Table, checker) -> list[str]:
    ordered = numbered.sort_by([("session_id", "ascending"), ("turn", "ascending")])
    return sorted_rows(pa.table(checker.check(ordered.combine_chunks().to_batches()[0])))


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory):
    """Another working directory: workers look there first, and the sources here lack the Rust half."""
    folder = os.getcwd()
    os.chdir(tmp_path_factory.mktemp("elsewhere"))
    yield
    os.chdir(folder)


@pytest.fixture(scope="module")
def spark(elsewhere):
    pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs a JDK 17 or later, and there is no java on the path")
    session = spark_session("local[2]", {"spark.driver.memory": "1g", "spark.sql.execution.arrow.maxRecordsPerBatch": "37"})
    yield session
    session.stop()


@pytest.fixture(scope="module")
def ray_data(elsewhere):
    ray = pytest.importorskip("ray", reason="ray is not installed")
    pytest.importorskip("ray.data", reason="ray[data] is not installed")
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=200 << 20, log_to_driver=False, logging_level="ERROR")
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    yield ray.data
    ray.shutdown()


class TestSpark:
    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize(("source", "partitions"), [(1, None), (5, 3), (2, 16)])
    def test_results_are_those_of_one_batch(self, spark, checker, shuffled, expected, method, source, partitions):
        import mangle_ls.spark as helper

        frame = spark.createDataFrame(shuffled).repartition(source)
        result = getattr(helper, method)(frame, checker, partitions=partitions, rows=50)
        assert sorted_rows(result.toArrow()) == expected[method]

    def test_columns_may_have_other_names(self, spark, checker, renamed, expected):
        import mangle_ls.spark as helper

        result = helper.check(spark.createDataFrame(renamed), checker, **RENAMED)
        assert sorted_rows(result.toArrow()) == expected["check"]

    def test_session_ids_may_be_integers(self, spark, checker, numbered, expected_numbered):
        import mangle_ls.spark as helper

        result = helper.check(spark.createDataFrame(numbered), checker)
        assert sorted_rows(result.toArrow()) == expected_numbered

    def test_columns_and_types_are_checked_by_the_driver(self, spark, checker, shuffled):
        import mangle_ls.spark as helper

        frame = spark.createDataFrame(shuffled)
        with pytest.raises(TypeError, match="no column `said` for `text`"):
            helper.check(frame, checker, text="said")
        with pytest.raises(TypeError, match="turn"):
            helper.check(frame, checker, turn="model")

    def test_incomplete_session_fails_the_query(self, spark, checker, shuffled):
        import mangle_ls.spark as helper

        frame = spark.createDataFrame(shuffled).where("turn != 3")
        with pytest.raises(Exception, match="ValueError"):
            helper.check(frame, checker).collect()

    def test_frame_without_rows_has_no_finding(self, spark, checker, shuffled):
        import mangle_ls.spark as helper

        assert helper.check(spark.createDataFrame(shuffled.slice(0, 0)), checker).count() == 0


class TestRay:
    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize(("source", "groups"), [(1, 1), (5, 8)])
    def test_results_are_those_of_one_batch(self, ray_data, checker, shuffled, expected, method, source, groups):
        import mangle_ls.ray as helper

        dataset = ray_data.from_arrow(shuffled).repartition(source)
        result = getattr(helper, method)(dataset, checker, groups=groups)
        assert sorted_rows(_ray_table(result)) == expected[method]

    def test_columns_may_have_other_names(self, ray_data, checker, renamed, expected):
        import mangle_ls.ray as helper

        result = helper.check(ray_data.from_arrow(renamed), checker, groups=2, **RENAMED)
        assert sorted_rows(_ray_table(result)) == expected["check"]

    def test_session_ids_may_be_integers(self, ray_data, checker, numbered, expected_numbered):
        import mangle_ls.ray as helper

        result = helper.check(ray_data.from_arrow(numbered), checker)
        assert sorted_rows(_ray_table(result)) == expected_numbered

    def test_columns_and_types_are_checked_by_the_driver(self, ray_data, checker, shuffled):
        import mangle_ls.ray as helper

        dataset = ray_data.from_arrow(shuffled)
        with pytest.raises(TypeError, match="no column `said` for `text`"):
            helper.check(dataset, checker, text="said")
        with pytest.raises(TypeError, match="turn"):
            helper.check(dataset, checker, turn="model")


def _ray_table(dataset) -> pa.Table:
    import ray

    tables = [table for table in ray.get(dataset.to_arrow_refs()) if table.num_rows]
    return pa.concat_tables(tables)


class TestDaft:
    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize(("source", "groups"), [(1, 1), (5, 8)])
    def test_results_are_those_of_one_batch(self, checker, shuffled, expected, method, source, groups):
        daft = pytest.importorskip("daft", reason="daft is not installed")
        import mangle_ls.daft as helper

        frame = daft.from_arrow(shuffled).into_partitions(source)
        result = getattr(helper, method)(frame, checker, groups=groups)
        assert sorted_rows(result.to_arrow()) == expected[method]

    def test_columns_may_have_other_names(self, checker, renamed, expected):
        daft = pytest.importorskip("daft", reason="daft is not installed")
        import mangle_ls.daft as helper

        assert sorted_rows(helper.check(daft.from_arrow(renamed), checker, **RENAMED).to_arrow()) == expected["check"]

    def test_session_ids_may_be_integers(self, checker, numbered, expected_numbered):
        daft = pytest.importorskip("daft", reason="daft is not installed")
        import mangle_ls.daft as helper

        result = helper.check(daft.from_arrow(numbered), checker)
        assert sorted_rows(result.to_arrow()) == expected_numbered

    def test_columns_and_types_are_checked_at_once(self, checker, shuffled):
        daft = pytest.importorskip("daft", reason="daft is not installed")
        import mangle_ls.daft as helper

        with pytest.raises(TypeError, match="no column `said` for `text`"):
            helper.check(daft.from_arrow(shuffled), checker, text="said")
        with pytest.raises(TypeError, match="turn"):
            helper.check(daft.from_arrow(shuffled), checker, turn="model")


class TestDuckDB:
    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize(("rows", "threads"), [(1, 1), (50, 2), (100_000, None)])
    def test_results_are_those_of_one_batch(self, checker, shuffled, expected, method, rows, threads):
        duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
        import mangle_ls.duckdb as helper

        connection = duckdb.connect()
        result = getattr(helper, method)(connection.from_arrow(shuffled), checker, rows=rows, threads=threads)
        assert sorted_rows(result) == expected[method]
        ids = result.column("session_id").to_pylist()
        assert ids == sorted(ids)
        assert connection.sql("SELECT count(*) FROM result").fetchall() == [(len(expected[method]),)]

    def test_columns_may_have_other_names(self, checker, renamed, expected):
        duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
        import mangle_ls.duckdb as helper

        assert sorted_rows(helper.check(duckdb.from_arrow(renamed), checker, **RENAMED)) == expected["check"]

    def test_parquet_files_are_read(self, checker, shuffled, expected, tmp_path):
        duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
        import mangle_ls.duckdb as helper
        import pyarrow.parquet as pq

        half = shuffled.num_rows // 2
        pq.write_table(shuffled.slice(0, half), tmp_path / "a.parquet")
        pq.write_table(shuffled.slice(half), tmp_path / "b.parquet")
        assert sorted_rows(helper.check(duckdb.sql(f"FROM '{tmp_path}/*.parquet'"), checker)) == expected["check"]

    def test_session_ids_may_be_integers(self, checker, numbered, expected_numbered):
        duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
        import mangle_ls.duckdb as helper

        result = helper.check(duckdb.from_arrow(numbered), checker)
        assert sorted_rows(result) == expected_numbered

    def test_columns_and_types_are_checked_at_once(self, checker, shuffled):
        duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
        import mangle_ls.duckdb as helper

        with pytest.raises(TypeError, match="no column `said` for `text`"):
            helper.check(duckdb.from_arrow(shuffled), checker, text="said")
        with pytest.raises(TypeError, match="turn"):
            helper.check(duckdb.from_arrow(shuffled), checker, turn="model")

    def test_incomplete_session_is_refused(self, checker, shuffled):
        duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
        import mangle_ls.duckdb as helper

        with pytest.raises(ValueError):
            helper.check(duckdb.from_arrow(shuffled).filter("turn != 3"), checker)


class TestPolars:
    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("lazy", [False, True])
    @pytest.mark.parametrize(("rows", "threads"), [(1, 1), (50, 2)])
    def test_results_are_those_of_one_batch(self, checker, shuffled, expected, method, lazy, rows, threads):
        polars = pytest.importorskip("polars", reason="polars is not installed")
        import mangle_ls.polars as helper

        frame = polars.from_arrow(shuffled)
        result = getattr(helper, method)(frame.lazy() if lazy else frame, checker, rows=rows, threads=threads)
        assert sorted_rows(result.to_arrow()) == expected[method]
        assert result["session_id"].to_list() == sorted(result["session_id"].to_list())

    def test_columns_may_have_other_names(self, checker, renamed, expected):
        polars = pytest.importorskip("polars", reason="polars is not installed")
        import mangle_ls.polars as helper

        frame = polars.from_arrow(renamed).with_columns(polars.col("who").cast(polars.Categorical))
        assert sorted_rows(helper.check(frame, checker, **RENAMED).to_arrow()) == expected["check"]

    def test_session_ids_may_be_integers(self, checker, numbered, expected_numbered):
        polars = pytest.importorskip("polars", reason="polars is not installed")
        import mangle_ls.polars as helper

        result = helper.check(polars.from_arrow(numbered), checker)
        assert sorted_rows(result.to_arrow()) == expected_numbered

    def test_columns_and_types_are_checked_at_once(self, checker, shuffled):
        polars = pytest.importorskip("polars", reason="polars is not installed")
        import mangle_ls.polars as helper

        with pytest.raises(TypeError, match="no column `said` for `text`"):
            helper.check(polars.from_arrow(shuffled), checker, text="said")
        with pytest.raises(TypeError, match="turn"):
            helper.check(polars.from_arrow(shuffled), checker, turn="model")
