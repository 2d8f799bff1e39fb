"""The server's process and both directions of its pipes. Every message that passes is shown to a judge."""

import json
import queue
import subprocess
import threading

# Seconds to wait for something that must come; only a failure takes that long.
PATIENCE = 60


class Wire:
    def __init__(self, command, judge):
        """`judge(message, sent, asked)` sees every message; `asked` is the request that a response answers."""
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.judge = judge
        self.incoming = queue.Queue()
        # Requests without a response: of ours, and of the server's.
        self.open, self.theirs = {}, {}
        self.last_id = 0
        self.answers = {}
        # Methods of the server's own messages, in order.
        self.seen = []
        self.reply = lambda message: None
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        stream = self.process.stdout
        while True:
            length, line = None, stream.readline()
            while line not in (b"\r\n", b""):
                name, _, value = line.partition(b": ")
                if name == b"Content-Length":
                    length = int(value)
                line = stream.readline()
            if line == b"":
                self.incoming.put(None)
                return
            self.incoming.put(json.loads(stream.read(length).decode("utf-8")))

    def send(self, message):
        message = {"jsonrpc": "2.0", **message}
        asked = self.theirs.pop(message.get("id"), None) if "method" not in message else None
        self.judge(message, True, asked)
        body = json.dumps(message, ensure_ascii=False).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def notify(self, method, params):
        self.send({"method": method, "params": params} if params is not None else {"method": method})

    def ask(self, method, params):
        """Sends a request; gives its id."""
        self.last_id += 1
        message = {"id": self.last_id, "method": method}
        if params is not None:
            message["params"] = params
        self.open[self.last_id] = message
        self.send(message)
        return self.last_id

    def request(self, method, params):
        """Sends a request and waits for the response."""
        return self.response(self.ask(method, params))

    def response(self, number):
        while number not in self.answers:
            self.take(PATIENCE)
        return self.answers.pop(number)

    def wait_until(self, condition):
        """Takes messages until a condition holds."""
        while not condition():
            self.take(PATIENCE)
        return True

    def take(self, patience):
        """Takes one message of the server."""
        message = self.incoming.get(timeout=patience)
        if message is None:
            raise RuntimeError("the server is gone")
        if "method" in message:
            self.judge(message, False, None)
            self.seen.append(message["method"])
            if "id" in message:
                self.theirs[message["id"]] = message
                self.send({"id": message["id"], "result": self.reply(message)})
        else:
            asked = self.open.pop(message.get("id"), None)
            self.judge(message, False, asked)
            self.answers[message.get("id")] = message

    def drain(self):
        """Takes what has come."""
        while True:
            try:
                self.take(0)
            except queue.Empty:
                return

    def leave(self):
        """Says goodbye properly; gives the exit status, and the requests that were never answered."""
        self.request("shutdown", None)
        self.notify("exit", None)
        status = self.process.wait(PATIENCE)
        self.process.stdin.close()
        self.process.stdout.close()
        return status, [message["method"] for message in self.open.values()]
