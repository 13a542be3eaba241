"""The built service as a process, and the connections of its clients."""

import json
import os
import re
import resource
import signal
import socket
import subprocess
import threading

from harness import Failure, check, until

BOUND = 5.0  # seconds, also on a busy machine; what is measured is printed, and is far below it


def wait(condition, what, seconds=BOUND):
    """Asks so often that the seconds that it returns can be printed as a figure."""
    return until(condition, what, seconds, pause=0.0005)


class Closed(Exception):
    """The service closed a connection in the middle of something."""


class Unanswered(Closed, ConnectionError):
    """The service closed a connection before an answer began."""


class Connection:
    """One kept-alive HTTP/1.1 connection, with as little in between as possible."""

    def __init__(self, port, timeout=10):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.unread = b""

    def close(self):
        self.socket.close()

    def receive(self):
        data = self.socket.recv(65536)
        if not data:
            raise Closed()
        self.unread += data

    def line(self):
        while b"\r\n" not in self.unread:
            self.receive()
        line, self.unread = self.unread.split(b"\r\n", 1)
        return line

    def exactly(self, count):
        while len(self.unread) < count:
            self.receive()
        data, self.unread = self.unread[:count], self.unread[count:]
        return data

    def head(self):
        try:
            first = self.line()
        except Closed:
            if self.unread:
                raise
            raise Unanswered() from None
        status = int(first.split(b" ")[1])
        headers = {}
        while line := self.line():
            name, value = line.decode().split(":", 1)
            headers[name.lower()] = value.strip()
        return status, headers

    def begin(self, method, path, body=None, headers=()):
        data = b"" if body is None else body.encode()
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(data)}"]
        lines += [f"{name}: {value}" for name, value in headers]
        self.socket.sendall("\r\n".join(lines + ["", ""]).encode() + data)

    def send(self, method, path, body=None, headers=()):
        self.begin(method, path, body, headers)
        status, headers = self.head()
        return status, self.exactly(int(headers["content-length"])).decode()


class Service:
    """A process of the service, and what its log and its answers have said."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.file = folder / "settings.json"
        self.log = folder / "log"
        self.texts = []
        self.process = None

    def start(self, descriptors=None, arguments=(), variables=None):
        def limit():
            # The usual limit is low, and may be raised.
            _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            soft = descriptors or min(1024, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, descriptors or hard))

        with open(self.log, "ab") as log:
            offset = log.tell()
            self.process = subprocess.Popen(
                [self.binary, "serve", "--port", "0", "--file", self.file, *arguments], stderr=log, stdout=log,
                preexec_fn=limit, env={**os.environ, **(variables or {})})

        def port():
            # With the end of the line, of which a part may be there at first.
            return re.search(rb"Listening on http://127\.0\.0\.1:(\d+)\n", self.log.read_bytes()[offset:])

        wait(lambda: port() or self.process.poll() is not None, "the service listens", 60)
        found = port()
        check(found, f"The service did not start: {self.log.read_bytes()[offset:].decode()}")
        self.port = int(found[1])
        self.token = self.run("token").stdout.strip()
        return self

    def run(self, *arguments):
        return subprocess.run(
            [self.binary, *arguments, "--file", self.file], capture_output=True, text=True, timeout=60)

    def admin(self, connection, method, path, body=None, headers=(), token=None):
        headers = [("Authorization", f"Bearer {token or self.token}"), *headers]
        status, text = connection.send(method, path, body, headers)
        self.texts.append(text)
        return status, json.loads(text)

    def patch(self, connection, key, value):
        status, answer = self.admin(connection, "PATCH", f"/settings/{key}", json.dumps(value))
        check(status == 200, f"PATCH of {key} was answered with {status}: {answer}")
        return answer

    def value(self, connection, key):
        return self.admin(connection, "GET", f"/settings/{key}")[1]["value"]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class Events:
    """A client of the server-sent events, which reconnects with its last id when the server asks it to leave."""

    def __init__(self, service, last_id=None):
        self.events = []
        self.last_id = last_id
        self.ended = False
        self.problem = None
        self.connection = Connection(service.port, timeout=30)
        headers = [("Authorization", f"Bearer {service.token}")]
        if last_id:
            headers.append(("Last-Event-ID", last_id))
        self.connection.begin("GET", "/settings/changes", headers=headers)
        status, _ = self.connection.head()
        check(status == 200, f"GET /settings/changes was answered with {status}.")
        self.thread = threading.Thread(target=self.read, args=(service.texts,))
        self.thread.start()

    def read(self, texts):
        text = ""
        try:
            while size := int(self.connection.line(), 16):
                text += self.connection.exactly(size + 2)[:-2].decode()
                while "\n\n" in text:
                    event, text = text.split("\n\n", 1)
                    texts.append(event)
                    fields = dict(line.split(": ", 1) for line in event.split("\n") if not line.startswith(":"))
                    if fields:
                        data = json.loads(fields["data"])
                        # What is in force instead of the file's values has no place in its history.
                        check(("id" in fields) == (fields["event"] != "covered"), f"An id is missing, or too many: {event}")
                        self.last_id = fields.get("id", self.last_id)
                        data["id"] = fields.get("id")
                        self.events.append((fields["event"], data))
            self.ended = True
        except (Closed, OSError, ValueError):
            pass
        except Failure as problem:
            self.problem = problem

    def changes(self):
        return [data for name, data in self.events if name == "change"]

    def leave(self):
        self.connection.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        if self.problem:
            raise self.problem
        self.connection.close()
