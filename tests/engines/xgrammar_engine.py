"""XGrammar, the engine of vLLM and SGLang. `cargo xtask test --step engines` runs this."""

import sys
from unittest.mock import MagicMock

import tvm_ffi  # noqa: F401 — before the stand-ins: it looks for the real packages.

# XGrammar imports these for masks on tensors and for tokenizers of models; neither is used here, and together they are 3 GB.
for package in ["torch", "transformers", "numpy", "numpy.typing"]:
    sys.modules[package] = MagicMock()

import xgrammar  # noqa: E402

import acceptance  # noqa: E402

compiler = xgrammar.GrammarCompiler(xgrammar.TokenizerInfo([]), cache_enabled=False)


def accepts(grammar):
    compiled = compiler.compile_grammar(grammar)

    def accepts_reply(reply):
        matcher = xgrammar.GrammarMatcher(compiled, terminate_without_stop_token=True)
        return matcher.accept_string(reply) and matcher.is_terminated()

    return accepts_reply


def schema(text):
    return xgrammar.Grammar.from_json_schema(text, any_whitespace=False, separators=(",", ":"))


# A decoded pattern is put between the quotes as if it was about the characters there; and of a list of numbers, 0.9 is
# written as 0.90000000000000002, so that not even a reply without updates can be generated.
DECODED = ["one atom", "two atoms with escapes", "no atom"]

acceptance.run(
    "XGrammar",
    {
        "bnf": lambda text: accepts(xgrammar.Grammar.from_ebnf(text)),
        "lark": lambda text: accepts(xgrammar.Grammar.from_lark(text)),
        "schema": lambda text: accepts(schema(text)),
        "regex": lambda text: accepts(xgrammar.Grammar.from_regex(text)),
    },
    {"ebnf": [], "gbnf": [], "lark": [], "regex": [], "schema, raw": [], "schema, decoded": DECODED},
)
