#!/usr/bin/env python3
"""Stands in for the server and writes down what an editor says of itself.

    MANGLE_RECORD=../clients/NAME.json EDITOR-THAT-STARTS record.py

Set as the editor's server program it takes `initialize`, writes the client's name, version and capabilities to the file
that the environment variable names, and says nothing more that an editor would miss. So are the files in tests/clients made.
"""

import json
import os
import sys


def read(stream):
    """One message, or None at the end of the input."""
    length = 0
    while (line := stream.readline()) not in (b"\r\n", b""):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
    return json.loads(stream.read(length)) if line else None


def main():
    if "--version" in sys.argv:
        print("mangle-ls 0.0.0 (recording)")
        return
    while (message := read(sys.stdin.buffer)) is not None and message.get("method") != "exit":
        result = None
        if message.get("method") == "initialize":
            params = message["params"]
            kept = {"clientInfo": params.get("clientInfo"), "capabilities": params["capabilities"]}
            with open(os.environ["MANGLE_RECORD"], "w", encoding="utf-8") as out:
                json.dump(kept, out, indent=1, sort_keys=True)
                out.write("\n")
            result = {"capabilities": {}}
        if "id" in message:
            body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
            sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
