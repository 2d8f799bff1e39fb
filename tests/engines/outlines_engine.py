"""The core of Outlines, which makes an automaton of one regular expression. `cargo xtask test --step engines` runs this."""

from outlines_core import Index, Vocabulary
from outlines_core.json_schema import build_regex_from_schema

import acceptance

END = 256
# Each token is a byte, so that a reply has one way to be cut into tokens.
vocabulary = Vocabulary(END, {bytes([byte]): [byte] for byte in range(END)})


def accepts(expression):
    index = Index(expression, vocabulary)

    def accepts_reply(reply):
        state = index.get_initial_state()
        for byte in reply.encode():
            state = index.get_next_state(state, byte)
            if state is None:
                return False
        return index.is_final_state(state)

    return accepts_reply


# A decoded pattern is put between the quotes as if it was about the characters there.
DECODED = ["one atom", "two atoms with escapes", "a quote that is not escaped"]

acceptance.run(
    "Outlines",
    {"regex": accepts, "schema": lambda text: accepts(build_regex_from_schema(text))},
    {"regex": [], "schema, raw": [], "schema, decoded": DECODED},
)
