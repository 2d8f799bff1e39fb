"""A document as the client has it, and its positions in the negotiated unit."""

import bisect
import re

UNITS = {
    "utf-8": lambda text: len(text.encode()),
    "utf-16": lambda text: len(text.encode("utf-16-le")) // 2,
    "utf-32": len,
}


class Text:
    def __init__(self, text, encoding):
        self.text, self.encoding = text, encoding
        self.starts = [0] + [end.end() for end in re.finditer("\r\n|\n|\r", text)]

    def line(self, number):
        """A line without its end; None if there is no such line."""
        if not 0 <= number < len(self.starts):
            return None
        end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.text)
        return self.text[self.starts[number] : end].rstrip("\r\n")

    def offset(self, position):
        """The character at a position; None if it is past its line, inside a character, or past the text."""
        line = self.line(position["line"])
        if line is None:
            return None
        wanted = position["character"]
        if line.isascii() or self.encoding == "utf-32":
            return self.starts[position["line"]] + wanted if wanted <= len(line) else None
        units = 0
        for index, char in enumerate(line):
            if units >= wanted:
                break
            units += UNITS[self.encoding](char)
        else:
            index = len(line)
        return self.starts[position["line"]] + index if units == wanted else None

    def position(self, offset):
        line = bisect.bisect_right(self.starts, offset) - 1
        before = self.text[self.starts[line] : offset].rstrip("\r\n")
        return {"line": line, "character": UNITS[self.encoding](before)}

    def end(self):
        return self.position(len(self.text))

    def slice(self, range_):
        start, end = self.offset(range_["start"]), self.offset(range_["end"])
        return None if start is None or end is None else self.text[start:end]

    def edited(self, edits):
        """The text after edits (whose ranges all count in this text), or what keeps them from being applied."""
        places = []
        for edit in edits:
            range_ = edit.get("range") or edit.get("replace")
            start, end = self.offset(range_["start"]), self.offset(range_["end"])
            if start is None or end is None or start > end:
                return None, f"the range {range_} is not in the text"
            places.append((start, end, edit["newText"]))
        # The order of insertions at one place is that of the list.
        places.sort(key=lambda place: (place[0], place[1]))
        for (_, end, _), (start, _, _) in zip(places, places[1:]):
            if start < end:
                return None, f"edits overlap at {self.position(start)}"
        out, at = [], 0
        for start, end, new in places:
            out += [self.text[at:start], new]
            at = end
        return "".join(out + [self.text[at:]]), None
