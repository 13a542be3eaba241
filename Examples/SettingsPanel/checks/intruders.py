"""Malformed requests: slow, too large, ambiguous, incomplete, or with paths that lead elsewhere."""

import json
import re
import socket
import time

from harness import check, together, until
from served import PATIENCE, expect, token_of
from target import Victim, answer_to, is_open, raw

KEY = "limits.burst"
# That of the program that the checks run, in seconds.
IDLE_LIMIT = 2.0
BODY_LIMIT, HEADER_LIMIT, TARGET_LIMIT = 64 << 10, 32 << 10, 8 << 10


def head(method, path, *fields, host="localhost", version="1.1"):
    lines = [f"{method} {path} HTTP/{version}", f"Host: {host}", f"Authorization: Bearer {token_of('alice')}", *fields]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def write(value, *fields):
    """A whole request that changes the setting."""
    body = json.dumps(value).encode()
    return head("PATCH", f"/settings/{KEY}", f"Content-Length: {len(body)}", *fields) + body


# The request that is hidden in the bodies. If a server takes it for one, the setting becomes 6666.
HIDDEN = write(6_666)
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(HIDDEN), HIDDEN)
# Each must be refused.
REFUSED = {
    "a coding before chunked": head("PATCH", f"/settings/{KEY}", "Transfer-Encoding: gzip, chunked") + CHUNKED,
    "a coding after chunked": head("PATCH", f"/settings/{KEY}", "Transfer-Encoding: chunked, gzip") + CHUNKED,
    "an unknown coding": head("PATCH", f"/settings/{KEY}", "Transfer-Encoding: xchunked") + CHUNKED,
    "two codings in two lines": head(
        "PATCH", f"/settings/{KEY}", "Transfer-Encoding: gzip", "Transfer-Encoding: chunked") + CHUNKED,
    "a length and chunks": head(
        "PATCH", f"/settings/{KEY}", f"Content-Length: {len(CHUNKED)}", "Transfer-Encoding: chunked") + CHUNKED,
    "chunks and a length": head(
        "PATCH", f"/settings/{KEY}", "Transfer-Encoding: chunked", "Content-Length: 5") + b"0\r\n\r\n" + HIDDEN,
    "two lengths": head("PATCH", f"/settings/{KEY}", "Content-Length: 0", f"Content-Length: {len(HIDDEN)}") + HIDDEN,
    "two lengths in one": head("PATCH", f"/settings/{KEY}", f"Content-Length: 0, {len(HIDDEN)}") + HIDDEN,
    "a length with a sign": head("PATCH", f"/settings/{KEY}", f"Content-Length: +{len(HIDDEN)}") + HIDDEN,
    "a negative length": head("PATCH", f"/settings/{KEY}", "Content-Length: -1") + HIDDEN,
    "a hexadecimal length": head("PATCH", f"/settings/{KEY}", f"Content-Length: 0x{len(HIDDEN):x}") + HIDDEN,
    "a huge length": head("PATCH", f"/settings/{KEY}", "Content-Length: 99999999999999999999") + HIDDEN,
    "a chunk size that overflows": head(
        "PATCH", f"/settings/{KEY}", "Transfer-Encoding: chunked") + b"10000000000000000\r\n" + HIDDEN,
    "a chunk size with a sign": head("PATCH", f"/settings/{KEY}", "Transfer-Encoding: chunked") + b"-1\r\n" + HIDDEN,
    "a chunk without its end": head(
        "PATCH", f"/settings/{KEY}", "Transfer-Encoding: chunked") + b"1\r\nabc0\r\n\r\n" + HIDDEN,
    "a space before the colon": head("PATCH", f"/settings/{KEY}", f"Content-Length : {len(HIDDEN)}") + HIDDEN,
    "a NUL in a field": head("GET", f"/settings/{KEY}", "X-A: a\0b"),
    "a host with a path": head("GET", f"/settings/{KEY}", host="x/../y"),
    "a host with a user": head("GET", f"/settings/{KEY}", host="alice@localhost"),
    "a host with a port that is none": head("GET", f"/settings/{KEY}", host="localhost:http"),
    "two hosts": head("GET", f"/settings/{KEY}", "Host: other"),
    "HTTP/2 without an agreement": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + HIDDEN,
    "HTTP/9.9": head("GET", f"/settings/{KEY}", version="9.9"),
    "a space in the path": head("GET", f"/settings/{KEY} /hello"),
    "TLS": b"\x16\x03\x01\x00\xf8\x01\x00\x00\xf4\x03\x03" + bytes(200),
}


def answers_to(program, requests):
    """The names of requests, each with what came back, and whether the connection was closed."""

    def send(index):
        try:
            return answer_to(program, list(requests.values())[index], patience=IDLE_LIMIT + 3)
        except ConnectionError:
            # It was closed while it was still sent.
            return b"", True

    results = together(len(requests), send)
    failed = [result for result in results if isinstance(result, BaseException)]
    check(not failed, f"Requests were not sent: {failed}")
    return [(name, results[index]) for index, name in enumerate(requests)]


def ambiguous(program):
    """Forms that two readers may understand differently."""
    program.set(KEY, 5)
    for name, (answer, closed) in answers_to(program, REFUSED):
        statuses = [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d+)", answer)]
        check(all(status >= 400 for status in statuses), f"{name}: answered with {statuses}")
        check(len(statuses) <= 1, f"{name}: answered {len(statuses)} times: {answer!r}")
        check(statuses or closed, f"{name}: neither refused nor closed")
    check(program.stored(KEY) == 5, f"A hidden request was made: {program.get(f'/settings/{KEY}')}")
    # Of two requests at once, the first closes the connection, and the second is not made.
    answer, _ = answer_to(program, write(7, "Connection: close") + HIDDEN, patience=IDLE_LIMIT + 3)
    check(answer.count(b"HTTP/1.1 200") == 1 and program.stored(KEY) == 7, f"After “close”: {answer!r}")


def incomplete(program):
    """A value whose end was cut off on the way is not stored."""
    program.set(KEY, 8)
    for data in (
        head("PATCH", f"/settings/{KEY}", "Content-Length: 3") + b"99",
        head("PATCH", f"/settings/{KEY}", "Transfer-Encoding: chunked") + b"2\r\n99\r\n",
        head("PATCH", f"/settings/{KEY}", "Transfer-Encoding: chunked") + b"3\r\n99",
    ):
        for ends in (True, False):
            connection = raw(program, data)
            if ends:
                connection.shutdown(socket.SHUT_WR)
                connection.settimeout(PATIENCE)
                try:
                    answer = connection.recv(4_096)
                except ConnectionError:
                    answer = b""
                check(b" 200 " not in answer, f"An incomplete request was answered: {answer!r}")
            connection.close()
    check(program.stored(KEY) == 8, "A part of a value was stored.")


def large(program):
    """Bodies, headers and targets beyond their limits are refused, and the rest of them is not taken for a request."""
    program.set(KEY, 9)
    features = ["x" * 1_000] * 60
    program.set("features.enabled", features)
    check(program.stored("features.enabled") == features, "A large body within the limit was not stored.")
    too_long = json.dumps(["x" * BODY_LIMIT]).encode()
    expect(program.ask("PATCH", "/settings/features.enabled", too_long), 413, "body-too-large")
    # Exactly the limit's bytes of it would be a value as well.
    padded = b"[]" + b" " * (BODY_LIMIT - 2) + b" "
    expect(program.ask("PATCH", "/settings/features.enabled", padded), 413, "body-too-large")
    check(program.stored("features.enabled") == features, "A large body was stored.")
    expect(program.ask("DELETE", "/settings/features.enabled"), 200)
    expect(program.get("/settings", ("X-Long", "x" * HEADER_LIMIT)), 431, "header-too-large")
    expect(program.get("/settings?" + "x" * TARGET_LIMIT), 414, "target-too-long")
    for name, (answer, closed) in answers_to(program, {
        "a field of a megabyte": head("GET", "/settings", "X-Long: " + "x" * (1 << 20)),
        "a hundred thousand fields": head("GET", "/settings", *["X: y"] * 100_000),
        "a target of a megabyte": head("GET", "/" + "x" * (1 << 20)),
        "an endless body": head("PATCH", f"/settings/{KEY}", f"Content-Length: {1 << 40}") + b"9" * (4 << 20),
    }):
        statuses = re.findall(rb"HTTP/1\.[01] (\d)", answer)
        check(len(statuses) <= 1 and statuses in ([], [b"4"]) and (statuses or closed), f"{name}: {answer[:200]!r}")
    check(program.stored(KEY) == 9, "What was left of a large request was taken for one.")


def traversal(program):
    """No path leads out of the settings, and none is taken for another."""
    for path in (
        "/settings/..", "/settings/../hello", "/settings/%2e%2e", "/settings/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "//settings",
        "/settings/", "/settings//limits.burst", "/settings/limits.burst/..", "/settings/limits%00burst", "/settings/limits.",
        "/settings/.limits.burst", "/settings/limits..burst", "/%2fsettings", "/Settings", "/settings/LIMITS.BURST",
        "/settings/undo/../limits.burst", "/settings%2flimits.burst", "/settings/limits%2fburst", "/settings;/limits.burst",
        "/settings/%ff%fe", "/settings/%", "/settings/%zz", "/settings\\limits.burst",
    ):
        for method in ("GET", "PATCH", "DELETE"):
            answer = program.ask(method, path, 1 if method == "PATCH" else None)
            check(answer.status in (400, 404, 405), f"{method} {path}: {answer}")
            check("root:" not in answer.text, f"{method} {path} has a file of the system.")
    for path in ("/settings/limits%2Eburst", "/settings/%6Cimits.burst", "/%73ettings/limits.burst"):
        check(program.get(path).json["key"] == KEY, f"{path} is not the setting.")


def slow(program):
    """Connections whose requests do not arrive are closed, and delay nobody else."""
    program.set(KEY, 10)
    beginnings = {
        "a header": head("GET", "/settings")[:-2] + b"X-Slow: ",
        "nothing": b"",
        "a line": b"PATCH /sett",
    }
    with Victim(program) as victim:
        dribbling = [raw(program, data) for data in beginnings.values() for _ in range(20)]
        # A body of which nothing more comes.
        waiting = [raw(program, head("PATCH", f"/settings/{KEY}", "Content-Length: 5") + b"1") for _ in range(20)]
        end = time.monotonic() + 10 * IDLE_LIMIT
        while dribbling + waiting and time.monotonic() < end:
            time.sleep(0.2)
            for connection in dribbling:
                try:
                    connection.send(b"x")
                except OSError:
                    # Closed already, which is_open finds as well.
                    continue
            dribbling = [connection for connection in dribbling if is_open(connection)]
            waiting = [connection for connection in waiting if is_open(connection)]
    check(not dribbling and not waiting, f"{len(dribbling)} slow connections are still open, and {len(waiting)} that wait.")
    check(not victim.broken, f"Beside slow connections: {victim.broken[:3]}")
    check(program.stored(KEY) == 10, "A slow request was made.")


def flood(program):
    """A thousand half-open connections delay nobody else."""
    before = program.descriptors()
    with Victim(program) as victim:
        held = [raw(program, b"GET /settings HTTP/1.1\r\nHost: ") for _ in range(1_000)]
        for value in range(20, 30):
            program.set(KEY, value)
    check(not victim.broken, f"Beside half-open connections: {victim.broken[:3]}")
    for connection in held:
        connection.close()
    until(lambda: program.descriptors() <= before + 5, "the connections were closed", PATIENCE)


CHECKS = [
    ("ambiguous requests", ambiguous), ("incomplete bodies", incomplete), ("large requests", large),
    ("paths that lead elsewhere", traversal), ("slow connections", slow), ("half-open connections", flood),
]
