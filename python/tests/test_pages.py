"""The Python of the pages is Python, and imports what there is."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = ["docs/notebook.md", "docs/spark.md", "python/README.md"]


@pytest.mark.parametrize("page", PAGES)
def test_blocks_can_be_read_and_imported(page: str) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    assert blocks
    for block in blocks:
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and node.module == "mangle_ls.duckdb":
                module = importlib.import_module(node.module)
                assert all(hasattr(module, name.name) for name in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module == "mangle_ls":
                import mangle_ls

                names = [name.name for name in node.names if name.name not in ("spark",)]
                assert all(hasattr(mangle_ls, name) for name in names), ast.unparse(node)
