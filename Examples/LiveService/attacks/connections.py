"""Attacks with connections: too many of them, slow ones, and ones that read nothing."""

import asyncio
import json
import time

from harness import until
from service import Connection
from target import PATIENCE, Victim, admin_headers, is_open, raw

HALF = b"GET /hello HTTP/1.1\r\nHost: localhost\r\nX-Half: "


def hold(target, count):
    """Half-open connections; those that the service does not take are no attack on it."""
    held = []
    for _ in range(count):
        try:
            held.append(raw(target, HALF))
        except OSError:
            pass
    return held


def half_open(target, quick):
    target.start_with()
    with Victim(target) as victim:
        held = hold(target, 2_000)
        time.sleep(3 if quick else 20)
    for connection in held:
        connection.close()
    return victim.broken, victim.tries + len(held)


def half_open_at_few_descriptors(target, quick):
    """With descriptors for 256 files and connections together, a change must still be saved to the file."""
    target.start_with(descriptors=256)
    broken, tries = [], 0
    for round in range(3 if quick else 9):
        with Victim(target, asks_again=True) as victim:
            held = hold(target, 300)
            try:
                connection = Connection(target.port, timeout=PATIENCE)
                target.patch(connection, "limits.burst", 90_000 + round)
                connection.close()
            except Exception as error:
                broken.append(f"A change was not made: {error!r}")
            time.sleep(0.5)
            # Of fewer requests, one that is sent again would be too many.
            until(lambda victim=victim: victim.tries >= 300 or not victim.is_alive(), "the client had asked enough", PATIENCE)
        for connection in held:
            connection.close()
        broken += victim.broken
        if victim.asked_again * 100 > victim.tries:
            broken.append(f"{victim.asked_again} of {victim.tries} requests had to be sent again.")
        tries += victim.tries + len(held) + 1
        if target.process.poll() is not None:
            break
    return broken, tries


def dribble(target, beginning, count):
    """Connections that send a byte now and then, and must be closed all the same."""
    target.start_with(connections_receiveTimeout="1s")
    with Victim(target) as victim:
        held = [raw(target, beginning) for _ in range(count)]
        end = time.monotonic() + PATIENCE / 2
        while held and time.monotonic() < end:
            time.sleep(0.2)
            for connection in held:
                try:
                    connection.send(b"x")
                except OSError:
                    pass
            held = [connection for connection in held if is_open(connection)]
    return victim.broken + ["A slow connection is still open."] * len(held), victim.tries + count


def slow_headers(target, quick):
    return dribble(target, HALF, 100 if quick else 500)


def slow_bodies(target, quick):
    beginning = b"PATCH /settings/limits.burst HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n1"
    return dribble(target, beginning, 100 if quick else 500)


def unread_answers(target, quick):
    """Clients that ask a lot and read nothing must be closed, and must not fill the memory."""
    # Answers of 60 kB, which soon are more than the system keeps.
    target.start_with(connections_sendTimeout="1s", features_enabled=["x" * 60_000])
    before, open_before, count = target.resident(), target.descriptors(), 20 if quick else 100
    request = f"GET /settings/features.enabled HTTP/1.1\r\n{admin_headers(target)}\r\n".encode() * 100
    with Victim(target) as victim:
        held = [raw(target, request, receive_buffer=4_096) for _ in range(count)]
        end = time.monotonic() + PATIENCE / 2
        left, grown = count, 0
        while left > 0 and time.monotonic() < end:
            time.sleep(0.2)
            # The clients don't notice the end: it comes after what they don't read. The victim has two connections.
            left = target.descriptors() - open_before - 2
            grown = max(grown, target.resident() - before)
    for connection in held:
        connection.close()
    broken = victim.broken + ["A connection that reads nothing is still open."] * max(left, 0)
    if grown > 100e6:
        broken.append(f"The memory has grown by {grown / 1e6:.0f} MB.")
    return broken, victim.tries + count


def streams(target, quick):
    """Each of many event streams has each change once; and all are unsubscribed when they are gone."""
    count = 500 if quick else 2_000
    target.start_with(connections_limit=count + 100)
    broken = asyncio.run(follow(target, count, changes=5))
    connection = Connection(target.port, timeout=PATIENCE)
    end = time.monotonic() + PATIENCE
    while (left := subscribers(target, connection)) > 20 and time.monotonic() < end:
        time.sleep(0.1)
    if left > 20:
        broken.append(f"{left} subscribers are left.")
    return broken, count * 5 + count


def subscribers(target, connection):
    # With a token: a program may show its metrics only to those who have one.
    metrics = connection.send("GET", "/metrics", headers=[("Authorization", f"Bearer {target.token}")])[1]
    return int(metrics.split("\nsettings_subscribers ")[1].split("\n")[0])


async def follow(target, count, changes):
    request = f"GET /settings/changes HTTP/1.1\r\n{admin_headers(target)}\r\n".encode()

    async def stream():
        reader, writer = await asyncio.open_connection("127.0.0.1", target.port, limit=1 << 20)
        writer.write(request)
        await reader.readuntil(b"event: snapshot")
        return reader, writer

    async def read(reader):
        seen = []
        while len(seen) < changes:
            line = await reader.readline()
            if not line:
                break
            if line.startswith(b"data: ") and b'"changes"' in line:
                seen.append(json.loads(line[6:])["changes"][0]["new"])
        return seen

    # No faster than the system's queue of new connections.
    opened = []
    for start in range(0, count, 100):
        opened += await asyncio.wait_for(asyncio.gather(*[stream() for _ in range(min(100, count - start))]), PATIENCE)
    reading = asyncio.gather(*[asyncio.wait_for(read(reader), PATIENCE) for reader, _ in opened], return_exceptions=True)
    connection = Connection(target.port, timeout=PATIENCE)
    for value in range(1, changes + 1):
        await asyncio.to_thread(target.patch, connection, "limits.burst", value)
    expected = list(range(1, changes + 1))
    broken = [f"A stream has {seen!r}." for seen in await reading if seen != expected]
    await asyncio.to_thread(target.patch, connection, "limits.burst", 100_000)
    for _, writer in opened:
        writer.transport.abort()
    return broken


ATTACKS = [
    ("2,000 half-open connections beside a client", half_open),
    ("300 half-open connections at 256 descriptors", half_open_at_few_descriptors),
    ("slow headers", slow_headers),
    ("slow bodies", slow_bodies),
    ("answers that are not read", unread_answers),
    ("event streams", streams),
]
