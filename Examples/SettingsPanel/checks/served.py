"""The program settings-api as a process, and clients of its API that use plain HTTP.

Its settings have the names of the live service's, and it is a Target as well, so that the attacks on that one can run against it.
"""

import atexit
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

EXAMPLES = pathlib.Path(__file__).resolve().parents[2]
# Every check of the API imports this module first.
sys.path[1:1] = [str(EXAMPLES / "LiveService" / "attacks"), str(EXAMPLES)]
from harness import Failure, check, until  # noqa: E402
from target import PATIENCE, Target  # noqa: E402

MERGE_PATCH = ("Content-Type", "application/merge-patch+json")
TOKENS = {
    "alice": "alice-0123456789abcdef",
    "bob": {"token": "bob-0123456789abcdef", "access": "read"},
    "carol": {"token": "carol-0123456789abcdef", "keys": ["limits"]},
    # A misspelt member: it is not accepted.
    "mallory": {"token": "mallory-0123456789abcdef", "acess": "read"},
}


def token_of(client):
    """The token of a client. A text that is not the name of a client is the token itself."""
    token = TOKENS.get(client, client)
    return token["token"] if isinstance(token, dict) else token


class Program(Target):
    """The process, with a folder of tokens, and a folder of an administrator who has locked `maintenance.isOn`."""

    def __init__(self, binary, folder, *settings, variables=None):
        folder.mkdir(parents=True, exist_ok=True)
        super().__init__(binary, folder, None)
        self.file = folder / "app.json"
        self.settings, self.variables = settings, variables or {}
        self.token = token_of("alice")
        self.tokens = folder / "tokens"
        self.tokens.mkdir()
        for name, token in TOKENS.items():
            self.add_token(name, token)
        # Nobody but root may write into any folder above that of an administrator.
        check(os.geteuid() == 0, "The administrator's folder belongs to root: run this check as root.")
        self.managed = pathlib.Path(tempfile.mkdtemp(prefix="settings-api-", dir="/var/lib"))
        atexit.register(shutil.rmtree, self.managed, ignore_errors=True)
        (self.managed / "app.json").write_text('{"maintenance": {"isOn": true}}')

    def add_token(self, name, token):
        text = token if isinstance(token, str) else json.dumps(token)
        (self.tokens / f".{name}").write_text(text)
        (self.tokens / f".{name}").rename(self.tokens / name)

    def start(self, descriptors=None, arguments=(), variables=None):
        def limit():
            _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors or hard, descriptors or hard))

        with open(self.log, "ab") as log:
            offset = log.tell()
            self.process = subprocess.Popen(
                [self.binary, "--port", "0", "--file", self.file, "--tokens", self.tokens, "--managed",
                 self.managed, *self.settings, *arguments],
                stdout=log, stderr=log, preexec_fn=limit,
                env={**os.environ, **self.variables, **(variables or {})})
        port = None

        def listens():
            nonlocal port
            # With the end of the line, of which a part may be there at first.
            port = re.search(rb"Listening on http://127\.0\.0\.1:(\d+)\n", self.log.read_bytes()[offset:])
            return port or self.process.poll() is not None

        until(listens, "the program listened", PATIENCE, pause=0.005)
        check(port, f"The program did not start: {self.log.read_bytes()[offset:].decode()}")
        self.port = int(port[1])
        return self

    def stop(self):
        """Ends the program as a service manager does."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=PATIENCE)
        check(code == 0, f"After SIGTERM the exit code was {code}.")

    def ask(self, method, path, body=None, *headers, by="alice"):
        """The answer to a request on a connection of its own. A body that is not of bytes is sent as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
            fields = dict(headers)
            if by:
                fields["Authorization"] = f"Bearer {token_of(by)}"
            connection.request(method, path, data, fields)
            answer = Answer(connection.getresponse())
            self.texts.append(answer.text)
            return answer
        finally:
            connection.close()

    def get(self, path, *headers, by="alice"):
        return self.ask("GET", path, None, *headers, by=by)

    def set(self, key, value, *headers, by="alice"):
        """Sets a setting, which must succeed."""
        answer = self.ask("PATCH", f"/settings/{key}", value, *headers, by=by)
        check(answer.status == 200, f"PATCH of {key} was answered with {answer}.")
        return answer

    def stored(self, key):
        """The value of a setting in the file, or else its default."""
        entry = self.get(f"/settings/{key}").json
        return entry.get("stored", entry["value"])

    def metric(self, name):
        """The value of a metric, whose name has its labels as they are printed."""
        found = re.search(rf"^{re.escape(name)} (\S+)$", self.get("/metrics").text, re.MULTILINE)
        check(found, f"There is no metric {name}.")
        return float(found[1])


class Answer:
    """The answer to a request."""

    def __init__(self, response):
        self.status, self.headers, self.data = response.status, response.headers, response.read()

    @property
    def text(self):
        return self.data.decode()

    @property
    def json(self):
        return json.loads(self.data)

    @property
    def kind(self):
        """The last part of a problem's type; nothing without a problem."""
        if self.headers.get("content-type") != "application/problem+json":
            return None
        problem = self.json
        check(problem["status"] == self.status, f"A problem has another status than its answer: {self}")
        check(problem["requestId"] == self.headers["x-request-id"], f"A problem has another identifier: {self}")
        return problem["type"].removeprefix("urn:settle:problem:")

    def __str__(self):
        return f"{self.status}: {self.text[:400]}"


def expect(answer, status, kind=None):
    """Checks the status of an answer, and the kind of its problem."""
    check(answer.status == status and answer.kind == kind, f"{status} {kind or ''} was expected, and not {answer}")
    return answer


class Stream:
    """A client of the events: a list of triples of name, id and data, which grows until the stream ends."""

    def __init__(self, program, last_id=None, by="alice", receive_buffer=None):
        self.events, self.has_ended, self.last_id = [], False, last_id
        connection = http.client.HTTPConnection("127.0.0.1", program.port, timeout=PATIENCE)
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(("127.0.0.1", program.port))
        connection.sock = self.socket
        headers = {"Authorization": f"Bearer {token_of(by)}"}
        if last_id:
            headers["Last-Event-ID"] = last_id
        connection.request("GET", "/settings/changes", headers=headers)
        self.response = connection.getresponse()
        self.status = self.response.status
        self.texts = program.texts
        self.thread = threading.Thread(target=self._read, daemon=True)
        if self.status == 200 and not receive_buffer:
            self.thread.start()

    def _read(self):
        name, identifier, data = None, None, []
        try:
            while line := self.response.readline().decode():
                field, _, value = line.rstrip("\n").partition(": ")
                if field == "event":
                    name = value
                elif field == "id":
                    identifier = value
                elif field == "data":
                    data.append(value)
                elif not line.strip() and name:
                    self.texts.append("".join(data))
                    self.last_id = identifier or self.last_id
                    self.events.append((name, identifier, json.loads("\n".join(data))))
                    name, identifier, data = None, None, []
        except (OSError, ValueError, http.client.HTTPException):
            # A killed server cuts it off.
            pass
        self.has_ended = True

    def named(self, name):
        return [data for each, _, data in self.events if each == name]

    def values(self, key):
        """The new values of a setting, in the order of the changes."""
        return [
            mutation.get("new") for change in self.named("change") for mutation in change["changes"]
            if mutation["key"] == key]

    def newest(self, key):
        """The value of a setting in the file, as far as the client knows."""
        value = None
        for name, _, data in list(self.events):
            if name == "snapshot":
                value = data["values"].get(key)
            for mutation in data["changes"] if name == "change" else []:
                value = mutation.get("new") if mutation["key"] == key else value
        return value

    def until(self, condition, what, seconds=PATIENCE):
        try:
            until(lambda: condition(self), what, seconds, pause=0.005)
        except Failure as failure:
            raise Failure(f"{failure} The last events were {str(self.events)[-2_000:]}") from None

    def begin(self):
        """Waits for the events that a stream begins with. A new client also gets a snapshot."""
        self.until(lambda stream: stream.named("covered") and (stream.last_id or stream.named("snapshot")), "a stream began")
        return self

    def close(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        if self.thread.ident:
            self.thread.join()
        self.response.close()
        self.socket.close()


def entries(program, key, **query):
    """The transactions that have changed a key, newest first."""
    more = "".join(f"&{name}={value}" for name, value in query.items())
    return program.get(f"/settings/history?key={key}{more}").json["entries"]


def times_stored(program, key, value):
    """How many transactions of the history have stored a value."""
    return sum(
        mutation["key"] == key and mutation.get("new") == value
        for entry in entries(program, key, limit=1000) for mutation in entry["changes"])
