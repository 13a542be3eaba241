"""The service under attack, and the client that must be served meanwhile."""

import json
import pathlib
import socket
import subprocess
import threading

from service import Connection, Service

# Far more than anything takes: a loaded machine may stall.
PATIENCE = 60.0


class Target(Service):
    def __init__(self, binary, folder, tools):
        super().__init__(binary, folder)
        self.tools = tools

    def end(self):
        if self.process and self.process.poll() is None:
            self.kill()

    def wounds(self):
        """What an attack did to the process itself."""
        log = self.log.read_text(errors="replace")
        wounds = [f"The log has “{word}”." for word in ("Fatal error", "Crash", "critical ") if word in log]
        if self.process.poll() is not None:
            wounds.append(f"The service has ended with {self.process.returncode}.")
        elif ask(self) != 200:
            wounds.append("The service does not answer afterwards.")
        return wounds

    def start_with(self, descriptors=None, arguments=(), variables=None, **settings):
        """Starts the service, generous as to its rate, with settings given as group_key."""
        self.start(descriptors, arguments, variables)
        connection = Connection(self.port)
        for key, value in {"limits_perSecond": 100_000, "limits_burst": 100_000, **settings}.items():
            # A service without such a setting is attacked all the same.
            self.admin(connection, "PATCH", f"/settings/{key.replace('_', '.', 1)}", json.dumps(value))
        connection.close()
        return self

    def descriptors(self):
        return len(list(pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def resident(self):
        pages = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * 4096


def ask(target, path="/hello", timeout=PATIENCE):
    """The status of a request on a connection of its own; the error if there is none."""
    try:
        connection = Connection(target.port, timeout=timeout)
        try:
            return connection.send("GET", path)[0]
        finally:
            connection.close()
    except Exception as error:
        return error


class Victim(threading.Thread):
    """A client of good manners: it asks without a pause, on one connection and on new ones in turn.

    If asks_again, it asks once more where a connection was closed before an answer began, as RFC 9110 allows for GET: a
    service that is out of descriptors closes connections on which nothing has been asked yet, and may be asked just then.
    """

    def __init__(self, target, asks_again=False):
        super().__init__()
        self.target, self.broken, self.tries, self.stopping = target, [], 0, False
        self.asks_again, self.asked_again = asks_again, 0
        self.kept = Connection(target.port, timeout=PATIENCE)

    def run(self):
        # Once much is broken, more of it says nothing new.
        while not self.stopping and len(self.broken) < 100:
            for question in (self.ask_kept, lambda: ask(self.target)):
                self.tries += 1
                status = question()
                if self.asks_again and isinstance(status, ConnectionError):
                    self.asked_again += 1
                    status = question()
                if status != 200:
                    self.broken.append(f"A client was answered with {status!r}.")

    def ask_kept(self):
        try:
            self.kept = self.kept or Connection(self.target.port, timeout=PATIENCE)
            return self.kept.send("GET", "/hello")[0]
        except Exception as error:
            self.kept = None
            return error

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stopping = True
        self.join()


def raw(target, data=b"", receive_buffer=None):
    """A connection on which some bytes have been sent."""
    connection = socket.socket()
    connection.settimeout(PATIENCE)
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.connect(("127.0.0.1", target.port))
    connection.sendall(data)
    return connection


def answer_to(target, data, patience=2.0):
    """What comes back for some bytes, until the service closes the connection or is silent; and whether it closed it."""
    connection = raw(target, data)
    # A slow machine may take longer to begin. After ten seconds the service closes what has not sent a whole request.
    connection.settimeout(max(patience, 8.0))
    received = b""
    try:
        while part := connection.recv(65536):
            received += part
            connection.settimeout(patience)
        return received, True
    except socket.timeout:
        return received, False
    except ConnectionError:
        return received, True
    finally:
        connection.close()


def is_open(connection):
    """Whether the service has not closed a connection yet."""
    connection.setblocking(False)
    try:
        while connection.recv(65536):
            pass
        return False
    except BlockingIOError:
        return True
    except OSError:
        return False


def admin_headers(target):
    return f"Host: localhost\r\nAuthorization: Bearer {target.token}\r\n"


def run_json(command, **options):
    """The JSON that a program prints."""
    answer = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, **options)
    if answer.returncode:
        raise RuntimeError(f"{command[0]} ended with {answer.returncode}: {answer.stderr[-400:]}")
    return json.loads(answer.stdout)
