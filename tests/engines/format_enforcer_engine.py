"""lm-format-enforcer, which follows a reply character by character. `cargo xtask test --step engines` runs this."""

import json

from interegular.patterns import Unsupported
from lmformatenforcer import JsonSchemaParser

import acceptance


def accepts(text):
    parser = JsonSchemaParser(json.loads(text))

    def accepts_reply(reply):
        state = parser
        for character in reply:
            if character not in state.get_allowed_characters():
                return False
            try:
                state = state.add_character(character)
            except Unsupported:
                return False
        return state.can_end()

    return accepts_reply


# It never lets a backslash follow in an update, and cannot read the escapes in the pattern of the surface.
GOOD = ["one atom", "two atoms with escapes", "no atom"]

acceptance.run("lm-format-enforcer", {"schema": accepts}, {"schema, raw": GOOD, "schema, decoded": GOOD})
