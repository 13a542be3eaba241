"""Streams of events: their order, resumption through restarts and kills, too many of them, clients that do not read or that depart.

Requests behind a stream or a slow change on the same connection, too.
"""

import fcntl
import os
import socket
import struct
import threading
import time

from harness import check, until
from intruders import head, write
from served import PATIENCE, Stream, expect, token_of
from target import raw

KEY = "limits.perSecond"
# Those of the program that the checks run, in seconds.
STALL_LIMIT, STREAM_LIMIT = 1.5, 20
# Of the program for departures: the heartbeat is too late to notice any within the limit.
HEARTBEAT, DEPARTURE_LIMIT = 30, 10.0
SHUTDOWN_LIMIT = 5.0


def order(program):
    """A stream begins with everything, and then has each change once and in order, with its author."""
    stream = Stream(program).begin()
    check([name for name, _, _ in stream.events][0] == "covered", f"A stream begins with {stream.events[0]}")
    covered = {entry["key"]: entry["value"] for entry in stream.named("covered")[0]["settings"]}
    # Besides what the arguments say.
    covered = {key: value for key, value in covered.items() if not key.startswith("server.")}
    check(covered == {"logging.level": "notice", "maintenance.isOn": True}, f"In force instead: {covered}")
    snapshot = stream.named("snapshot")[0]
    check(snapshot["missed"] is False, f"A new client has missed something: {snapshot}")
    check("logging.password" not in snapshot["values"] and snapshot["values"]["limits.burst"], f"A snapshot: {snapshot}")
    values = list(range(2_000, 2_050))
    for value in values:
        program.set(KEY, value)
    program.set("logging.password", "very-secret-words, and more")
    stream.until(lambda stream: stream.values("logging.password"), "the last of the changes came")
    check(stream.values(KEY) == values, f"The changes came as {stream.values(KEY)}.")
    secret = stream.named("change")[-1]
    check(secret["changes"] == [{"key": "logging.password", "isSecret": True}], f"A secret: {secret}")
    check(secret["author"] == "alice", f"A change: {secret}")
    ids = [identifier for name, identifier, _ in stream.events if name == "change"]
    check(len(set(ids)) == len(ids) and all(ids), f"The identifiers: {ids}")
    check(all((identifier is None) == (name == "covered") for name, identifier, _ in stream.events), "An id is missing.")
    # An event's identifier is what the next change builds on.
    program.set(KEY, 1, ("If-Match", f'"{ids[-1]}"'))
    stream.close()


def resumption(program):
    """Last-Event-ID resumes after a restart and after kill -9, with each change once. A token that is not known leads to a snapshot that says so."""
    stream = Stream(program).begin()
    stream.close()
    program.set(KEY, 3_000)
    for end, value in ((program.stop, 3_001), (program.kill, 3_002)):
        end()
        program.start()
        program.set(KEY, value)
        stream = Stream(program, stream.last_id)
        stream.until(lambda stream, value=value: value in stream.values(KEY), "the change after a restart came")
        check(stream.values(KEY) == ([3_000, 3_001] if value == 3_001 else [3_002]), f"After it: {stream.events}")
        check(not stream.named("snapshot"), f"A client that came back got a snapshot: {stream.events}")
        stream.close()
    for unknown in ("nonsense", "0-0"):
        stream = Stream(program, unknown)
        stream.until(lambda stream: stream.named("snapshot"), "a snapshot came")
        check(stream.named("snapshot")[0]["missed"] is True, f"After {unknown}: {stream.events}")
        stream.close()


class Writer(threading.Thread):
    """Counts up in a setting until the program is gone."""

    def __init__(self, program, first):
        super().__init__()
        self.program, self.next, self.acknowledged = program, first, []

    def run(self):
        try:
            while True:
                self.program.set(KEY, self.next)
                self.acknowledged.append(self.next)
                self.next += 1
        except Exception:
            # Whether the last one was stored is not known.
            self.next += 1


def kills(program, rounds=4):
    """A client that comes back after each kill -9 has each acknowledged change once, and a chain without a gap."""
    stream = Stream(program).begin()
    seen, acknowledged, number = [], [], 10_000
    for round in range(rounds):
        writer = Writer(program, number)
        writer.start()
        until(lambda writer=writer: len(writer.acknowledged) > 20, "changes were made", PATIENCE)
        program.kill()
        writer.join()
        stream.thread.join()
        seen += stream.named("change")
        check(len(stream.named("snapshot")) == (round == 0), f"A snapshot in round {round}.")
        acknowledged += writer.acknowledged
        number = writer.next
        program.start()
        stream = Stream(program, stream.last_id)
    program.set(KEY, number)
    acknowledged.append(number)
    stream.until(lambda stream: number in stream.values(KEY), "the last change came")
    stream.close()
    seen += stream.named("change")
    mutations = [mutation for change in seen for mutation in change["changes"] if mutation["key"] == KEY]
    for index in range(1, len(mutations)):
        earlier, later = mutations[index - 1:index + 1]
        check(later["old"] == earlier["new"], f"After {earlier} came {later}.")
    new = [mutation["new"] for mutation in mutations]
    lost = [value for value in acknowledged if new.count(value) != 1]
    check(not lost, f"Of {len(acknowledged)} changes, these did not come once: {lost}")


def alone(program):
    """Waits until the program has noticed that all streams are gone."""
    until(lambda: program.metric("settings_api_streams") == 0, "the clients that have gone were noticed", PATIENCE)


def too_many(program):
    """Beyond the limit, streams are refused and everything else is answered; clients that have gone make room."""
    alone(program)
    streams = [Stream(program) for _ in range(STREAM_LIMIT)]
    check([stream.status for stream in streams] == [200] * STREAM_LIMIT, "A stream within the limit was refused.")
    for _ in range(10):
        refused = program.get("/settings/changes")
        expect(refused, 503, "too-many-streams")
        check(int(refused.headers["retry-after"]) > 0, f"A refused stream: {refused.headers}")
    check(program.metric("settings_api_streams") == STREAM_LIMIT, "The open streams are not counted.")
    program.set(KEY, 4_000)
    for stream in streams:
        stream.until(lambda stream: stream.values(KEY) == [4_000], "each stream had a change")
        stream.close()
    alone(program)
    Stream(program).begin().close()


def stalled(program):
    """A client that does not read loses its stream; nothing piles up for it, and nobody else waits."""
    before = program.metric("settings_api_stalled_streams_total")
    reading = Stream(program).begin()
    idle = [Stream(program, receive_buffer=4_096) for _ in range(3)]
    memory = program.resident()
    # Each event has the old list and the new one: soon that is more than the sockets' buffers hold.
    for number in range(80):
        program.set("features.enabled", [f"{number}", "x" * 50_000])
    last = ["79", "x" * 50_000]
    # It may have missed some: the history keeps less than this.
    reading.until(lambda stream: stream.newest("features.enabled") == last, "a client that reads had the last change")
    until(lambda: program.metric("settings_api_stalled_streams_total") >= before + len(idle),
          "the clients that do not read lost their streams", PATIENCE)
    until(lambda: program.metric("settings_api_streams") == 1, "their streams made room for others", PATIENCE)
    grown = program.resident() - memory
    check(grown < 150e6, f"For three clients that do not read, the memory has grown by {grown / 1e6:.0f} MB.")
    expect(program.ask("DELETE", "/settings/features.enabled"), 200)
    reading.close()
    for stream in idle:
        stream.close()
    alone(program)


def raw_stream(program, further=b""):
    """The socket of a stream that has begun, and what has come. A further request goes in the same packet."""
    request = f"GET /settings/changes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token_of('bob')}\r\n\r\n"
    connection, received = raw(program, request.encode() + further), b""
    while b"event: snapshot" not in received:
        part = connection.recv(65_536)
        check(part, f"A stream ended at its beginning: {received!r}")
        received += part
    return connection, received


def departures(program):
    """A client that departs is noticed at once, long before the next heartbeat, and the others keep their streams."""
    staying = Stream(program).begin()
    before = program.descriptors()
    ways = {
        "closed": lambda connection: connection.close(),
        "closed its half": lambda connection: connection.shutdown(socket.SHUT_WR),
        "reset": lambda connection: (
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)), connection.close()),
    }
    for way, depart in ways.items():
        streams = [raw_stream(program)[0] for _ in range(10)]
        check(program.metric("settings_api_streams") == 11, "The open streams are not counted.")
        for connection in streams:
            depart(connection)
        until(lambda: program.metric("settings_api_streams") == 1,
              f"the clients that have {way} their connections were noticed", DEPARTURE_LIMIT)
        for connection in streams:
            connection.close()
    until(lambda: program.descriptors() <= before + 5, "the connections were closed", PATIENCE)
    program.set(KEY, 5_000)
    staying.until(lambda stream: stream.values(KEY) == [5_000], "the client that stays had a change")
    staying.close()
    until(lambda: program.metric("settings_api_streams") == 0, "the last client was noticed", DEPARTURE_LIMIT)


def shutdown(program):
    """At the end of the program, streams end as HTTP says, and are not cut off, even with a request behind them."""
    streams = [raw_stream(program, further) for further in (b"", head("GET", "/hello"))]
    started = time.monotonic()
    program.stop()
    seconds = time.monotonic() - started
    check(seconds < SHUTDOWN_LIMIT, f"The end took {seconds:.1f} s.")
    for connection, received in streams:
        while part := connection.recv(65_536):
            received += part
        check(received.endswith(b"\r\n0\r\n\r\n"), f"The stream was cut off: {received[-100:]!r}")
        connection.close()
    program.start()


def lock(program):
    """Takes the lock of the program's file, as another process that writes does. Closing the result releases it."""
    journal = program.file.with_name(f".{program.file.name}.journal")
    while True:
        file = open(journal, "rb")
        fcntl.flock(file, fcntl.LOCK_EX)
        # The program may have replaced the journal meanwhile.
        if os.path.samestat(os.fstat(file.fileno()), journal.stat()):
            return file
        file.close()


def slow_change(program):
    """The answer to a change that takes over a second is the last on its connection, and says so: a request behind it gets none."""
    for value, further in ((5_100, head("GET", "/hello")), (5_101, b"")):
        with lock(program):
            connection, received = raw(program, write(value) + further), b""
            # Longer than the second after which the connection is watched, and shorter than the program waits for the lock.
            time.sleep(4)
        while part := connection.recv(65_536):
            received += part
        connection.close()
        check(received.startswith(b"HTTP/1.1 200") and received.count(b"HTTP/1.1 ") == 1, f"The answers: {received!r}")
        check(b"\r\nconnection: close\r\n" in received.lower(), f"It does not say that it is the last: {received!r}")
        check(program.stored("limits.burst") == value, "The slow change was not made.")


CHECKS = [
    ("the order of events", order), ("Last-Event-ID across a restart and kill -9", resumption),
    ("a follower through kills under load", kills), (f"more than {STREAM_LIMIT} streams", too_many),
    ("clients that do not read", stalled), ("streams at the end", shutdown),
    ("a request behind a slow change", slow_change),
]
