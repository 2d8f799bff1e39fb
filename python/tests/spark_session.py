"""A session of Spark on this machine that says nothing on its own."""

from __future__ import annotations

import os
import sys
from typing import Any


def spark_session(master: str, settings: dict[str, str] | None = None) -> Any:
    """Starts Spark. `master` is `local[2]` or the address of a cluster; `settings` are Spark's, beside those that all sessions need."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable  # The driver says which interpreter the workers start.
    all_settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "4",
        **(settings or {}),
    }
    builder = SparkSession.builder.master(master).appName("mangle-ls")
    for key, value in all_settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session
