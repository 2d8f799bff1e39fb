"""Spark as a cluster: a master and a worker, each a process of its own, and a worker process that dies."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import sorted_rows
from spark_session import spark_session

MASTER = "org.apache.spark.deploy.master.Master"
WORKER = "org.apache.spark.deploy.worker.Worker"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int) -> None:
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail(f"nothing listens on port {port}")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory):
    """The address of a master that has one worker with two cores."""
    pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs a JDK 17 or later, and there is no java on the path")
    program = Path(pyspark.__file__).parent / "bin/spark-class"
    folder, port = tmp_path_factory.mktemp("cluster"), free_port()
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(program.parent.parent), "PYSPARK_PYTHON": sys.executable}
    start = lambda *arguments: subprocess.Popen(  # noqa: E731
        [program, *arguments], env=environment, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    master = start(MASTER, "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
    wait_for(port)
    address = f"spark://127.0.0.1:{port}"
    worker = start(WORKER, "--cores", "2", "--memory", "1g", "--webui-port", "0", "--work-dir", str(folder / "work"), address)
    yield address
    for process in (worker, master):
        process.terminate()
        process.wait(20)


@pytest.fixture(scope="module")
def spark(cluster: str, tmp_path_factory: pytest.TempPathFactory):
    folder = os.getcwd()
    os.chdir(tmp_path_factory.mktemp("elsewhere"))
    session = spark_session(
        cluster, {"spark.executor.memory": "512m", "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"]}
    )
    yield session
    session.stop()
    os.chdir(folder)


def test_findings_on_a_cluster_are_those_of_one_batch(spark, checker, turns: pa.Table, expected) -> None:
    import mangle_ls.spark as helper

    frame = spark.createDataFrame(turns).repartition(5)
    assert sorted_rows(helper.check(frame, checker).toArrow()) == expected["check"]


def test_a_task_whose_process_is_killed_is_done_again(spark, checker, turns: pa.Table, expected, tmp_path: Path) -> None:
    import mangle_ls.spark as helper

    died = str(tmp_path / "died")

    def dies_once(batches):
        import os
        import signal

        for batch in batches:
            try:
                os.close(os.open(died, os.O_CREAT | os.O_EXCL))
                os.kill(os.getpid(), signal.SIGKILL)
            except FileExistsError:
                pass
            yield batch

    frame = spark.createDataFrame(turns).repartition(3)
    frame = frame.mapInArrow(dies_once, frame.schema)
    assert sorted_rows(helper.check(frame, checker).toArrow()) == expected["check"]
    assert Path(died).exists()
