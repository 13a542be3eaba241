"""Attacks with HTTP itself: requests that two readers may understand differently, and rarely used parts of the protocol."""

import re

from service import Connection, wait
from target import PATIENCE, admin_headers, answer_to

HIDDEN = "GET /features/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"


def form(headers, body=HIDDEN, line="POST /hello HTTP/1.1"):
    return f"{line}\r\nHost: localhost\r\n{headers}\r\n{body}".encode("latin-1")


# Each must be refused, or answered once, and what is in its body never taken for a request.
SMUGGLING = {
    "length and chunks": form(f"Content-Length: {len(HIDDEN) + 5}\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + HIDDEN),
    "chunks and length": form(f"Transfer-Encoding: chunked\r\nContent-Length: {len(HIDDEN) + 5}\r\n", "0\r\n\r\n" + HIDDEN),
    "two lengths": form(f"Content-Length: 0\r\nContent-Length: {len(HIDDEN)}\r\n"),
    "two lengths in one": form(f"Content-Length: 0, {len(HIDDEN)}\r\n"),
    "a length with a sign": form("Content-Length: +0\r\n"),
    "a negative length": form("Content-Length: -1\r\n"),
    "a hexadecimal length": form("Content-Length: 0x0\r\n"),
    "a huge length": form("Content-Length: 99999999999999999999\r\n"),
    "an empty length": form("Content-Length:\r\n"),
    "an unknown encoding": form("Transfer-Encoding: xchunked\r\n"),
    "chunks not last": form("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n" + HIDDEN),
    "chunks twice": form("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n" + HIDDEN),
    "an encoding after a tab": form("Transfer-Encoding:\x0bchunked\r\n", "0\r\n\r\n" + HIDDEN),
    "a space before the colon": form("Content-Length : 0\r\n"),
    "a folded line": form("X-A: b\r\n Content-Length: 0\r\nContent-Length: 5\r\n", "12345" + "X"),
    "a line without a colon": form("Content-Length 0\r\n"),
    "a NUL in a header": form("X-A: a\0b\r\n"),
    "a carriage return in a header": form("X-A: a\rContent-Length: 5\r\n"),
    "a chunk size that overflows": form("Transfer-Encoding: chunked\r\n", "10000000000000000\r\n" + HIDDEN),
    "a chunk size with a sign": form("Transfer-Encoding: chunked\r\n", "-1\r\n" + HIDDEN),
    "a chunk size with 0x": form("Transfer-Encoding: chunked\r\n", "0x0\r\n\r\n" + HIDDEN),
    "a chunk without its end": form("Transfer-Encoding: chunked\r\n", "1\r\nabc0\r\n\r\n" + HIDDEN),
    "a line feed in a chunk's extension": form("Transfer-Encoding: chunked\r\n", "1;a\nb\r\nx\r\n0\r\n\r\n" + HIDDEN),
    "chunks in HTTP/1.0": form("Transfer-Encoding: chunked\r\n", "0\r\n\r\n" + HIDDEN, "POST /hello HTTP/1.0"),
    "HTTP/0.9": b"GET /hello\r\n" + HIDDEN.encode(),
    "HTTP/9.9": form("", line="GET /hello HTTP/9.9"),
    "no host": b"GET /hello HTTP/1.1\r\n\r\n",
    "two hosts": form("Host: other\r\n", "", "GET /hello HTTP/1.1"),
    "a space in the path": form("", "", "GET /hello /features/smuggled HTTP/1.1"),
    "a NUL in the path": form("", "", "GET /hel\0lo HTTP/1.1"),
    "two spaces": form("", "", "GET  /hello  HTTP/1.1"),
}
# These mean the same to everyone, so that an answer is fine.
HARMLESS = {"two spaces", "a folded line"}


def smuggling(target, quick):
    target.start_with()
    broken = []
    for name, data in SMUGGLING.items():
        answer, closed = answer_to(target, data)
        statuses = re.findall(rb"HTTP/1\.[01] (\d+)", answer)
        if b"smuggled" in answer:
            broken.append(f"{name}: the hidden request was answered.")
        elif len(statuses) > 1:
            broken.append(f"{name}: {len(statuses)} answers.")
        elif name not in HARMLESS and not (closed and (not statuses or statuses[0][:1] in b"45")):
            broken.append(f"{name}: answered with {statuses}, and the connection is {'closed' if closed else 'open'}.")
        elif statuses and statuses[0] == b"400" and b'"detail":' not in answer:
            broken.append(f"{name}: 400 without a sentence.")
    return broken, len(SMUGGLING)


def request(method, path, version="1.1", headers=""):
    return f"{method} {path} HTTP/{version}\r\nHost: localhost\r\n{headers}\r\n".encode()


def rare_forms(target, quick):
    target.start_with()
    checks = list(heads(target)) + list(old_versions(target)) + list(pipelines(target, quick)) + list(methods(target))
    return [sentence for passed, sentence in checks if not passed], len(checks)


def split(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines[1:])}
    return lines[0], fields, body


def heads(target):
    # The state of the file is in some of the answers.
    connection = Connection(target.port, timeout=PATIENCE)
    wait(lambda: target.admin(connection, "GET", "/settings")[1]["file"]["state"] == "saved", "the file was saved", PATIENCE)
    connection.close()
    for path in ("/hello", "/features/a", "/settings", "/health/live", "/metrics", "/openapi.json", "/nothing"):
        headers = f"Authorization: Bearer {target.token}\r\nConnection: close\r\n"
        get, got, body = split(answer_to(target, request("GET", path, headers=headers))[0])
        head, had, nothing = split(answer_to(target, request("HEAD", path, headers=headers))[0])
        yield head == get, f"HEAD {path}: {head!r} and not {get!r}"
        yield nothing == b"", f"HEAD {path} has a body."
        # Metrics change with each request.
        if path != "/metrics":
            yield had.get(b"content-length") == b"%d" % len(body), f"HEAD {path}: {had} for {len(body)} bytes"
        yield had.get(b"content-type") == got.get(b"content-type"), f"HEAD {path}: {had}"


def old_versions(target):
    for data, closes in [
        (b"GET /hello HTTP/1.0\r\n\r\n", True),
        (request("GET", "/hello", "1.0", "Connection: keep-alive\r\n"), False),
        (request("GET", "/hello", "1.1", "Connection: close\r\n"), True),
        (request("GET", "/hello"), False),
        (b"\r\n\r\n" + request("GET", "/hello", "1.1", "Connection: close\r\n"), True),
        (request("GET", "http://localhost/hello", "1.1", "Connection: close\r\n"), True),
    ]:
        answer, closed = answer_to(target, data)
        first, fields, body = split(answer)
        yield b" 200 " in first and b"Hello." in body, f"{data!r}: {answer!r}"
        yield closed == closes, f"{data!r}: the connection is {'closed' if closed else 'open'}."
        if data.startswith(b"GET /hello HTTP/1.0\r\nHost"):
            yield fields.get(b"connection", b"").lower() == b"keep-alive", f"{data!r}: {fields}"


def pipelines(target, quick):
    for count in (10, 100) if quick else (10, 100, 1_000):
        data = b"".join(request("GET", f"/features/f{number}") for number in range(count))
        answer, _ = answer_to(target, data)
        names = re.findall(rb'"name":"f(\d+)"', answer)
        yield names == [b"%d" % number for number in range(count)], f"{count} at once: {len(names)} in order"
    data = request("GET", "/features/a") + request("GET", "/features/b", headers="Connection: close\r\n")
    answer, closed = answer_to(target, data + request("GET", "/features/c"))
    yield closed and answer.count(b"HTTP/1.1 200") == 2, f"After “close”: {answer!r}"


def methods(target):
    for method, path, allowed in [
        ("POST", "/hello", b"GET"), ("DELETE", "/settings", b"PATCH"), ("PUT", "/settings/limits.burst", b"DELETE"),
        ("PATCH", "/metrics", b"GET"),
    ]:
        headers = admin_headers(target).replace("Host: localhost\r\n", "") + "Content-Length: 0\r\nConnection: close\r\n"
        first, fields, body = split(answer_to(target, request(method, path, headers=headers))[0])
        yield b" 405 " in first, f"{method} {path}: {first!r}"
        yield allowed in fields.get(b"allow", b""), f"{method} {path}: {fields}"
        yield b'"detail":' in body, f"{method} {path}: {body!r}"
        yield fields.get(b"content-type") == b"application/problem+json", f"{method} {path}: {fields}"
    for path in ("/settings/limits%2Eburst", "/settings/%6Cimits.burst"):
        headers = f"Authorization: Bearer {target.token}\r\nConnection: close\r\n"
        first, _, _ = split(answer_to(target, request("GET", path, headers=headers))[0])
        yield b" 200 " in first, f"{path}: {first!r}"


ATTACKS = [("requests in ambiguous forms", smuggling), ("HEAD, HTTP/1.0, pipelining, methods, encoded keys", rare_forms)]
