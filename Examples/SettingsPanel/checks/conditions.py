"""Conditional changes, lost answers, and requests that are repeated."""

import itertools
import json
import socket
import struct

from harness import check, together, until
from served import PATIENCE, MERGE_PATCH, expect, times_stored, token_of

KEY = "limits.burst"
NUMBERS = itertools.count(10_000)


def unique():
    """A value that has not been stored before."""
    return next(NUMBERS)


def if_match(answer):
    return ("If-Match", answer.headers["etag"])


def matching(program):
    """A change builds on what its client has read, or is refused with both values."""
    read = program.get(f"/settings/{KEY}")
    mine, other = unique(), unique()
    written = program.set(KEY, other, if_match(read), by="carol")
    refused = expect(program.ask("PATCH", f"/settings/{KEY}", mine, if_match(read)), 412, "changed")
    check(str(mine) in refused.text and str(other) in refused.text, f"The problem lacks a value: {refused}")
    check(refused.json["author"] == "carol", f"The problem lacks the author: {refused}")
    check(program.stored(KEY) == other, "A refused change was made.")
    expect(program.ask("PATCH", f"/settings/{KEY}?dryRun=true", mine, if_match(read)), 412, "changed")
    expect(program.ask("DELETE", f"/settings/{KEY}", None, if_match(read)), 412, "changed")
    # Another setting has not changed, but one of the group has, and one of all.
    group, everything = program.get("/settings/limits"), program.get("/settings")
    program.set("limits.perSecond", unique())
    program.set(KEY, mine, if_match(written))
    expect(program.ask("PATCH", "/settings/limits", {"burst": 1}, MERGE_PATCH, if_match(group)), 412, "changed")
    expect(program.ask("PATCH", "/settings", {"features.enabled": ["x"]}, if_match(everything)), 412, "changed")
    program.set(KEY, other, ("If-Match", "*"))
    for field in ("token", '"a', 'W/"', '"a" "b"'):
        expect(program.ask("PATCH", f"/settings/{KEY}", mine, ("If-Match", field)), 400, "invalid-request")
    expect(program.ask("PATCH", f"/settings/{KEY}", mine, ("If-Match", '"made-up"')), 412, "changed")
    check(program.stored(KEY) == other, "A change with a made-up tag was made.")


def one_of_many(program):
    """Of clients that have read the same, exactly one writes."""
    for _ in range(5):
        read, values = program.get(f"/settings/{KEY}"), [unique() for _ in range(8)]

        def write(index, read=read, values=values):
            return program.ask("PATCH", f"/settings/{KEY}", values[index], if_match(read)).status

        statuses = together(len(values), write)
        check(sorted(map(str, statuses)) == ["200"] + ["412"] * 7, f"Eight with one tag were answered with {statuses}.")
        check(program.stored(KEY) == values[statuses.index(200)], "The one that was answered with 200 has not written.")


def lost_answers(program):
    """A change with If-Match whose answer was lost is recognized when it is repeated, also by the next process."""
    read, value = program.get(f"/settings/{KEY}"), unique()
    program.set(KEY, value, if_match(read))
    program.set(KEY, value, if_match(read))
    program.kill()
    program.start()
    program.set(KEY, value, if_match(read))
    check(times_stored(program, KEY, value) == 1, "A repeated change was made again.")
    expect(program.ask("PATCH", f"/settings/{KEY}", value, if_match(read), by="carol"), 412, "changed")


def idempotency(program):
    """A write with a key is made once, however often it is sent."""
    value = unique()
    key = ("Idempotency-Key", f"first-{value}")
    program.set(KEY, value, key)
    program.set(KEY, 1)
    again = program.set(KEY, value, key)
    check(again.headers["idempotency-replayed"] == "true", f"A repeated write was not recognized: {again}")
    check(program.stored(KEY) == 1, "A repeated write was made again.")
    expect(program.ask("PATCH", f"/settings/{KEY}", 2, key), 422, "idempotency-key-reused")
    expect(program.ask("DELETE", f"/settings/{KEY}", None, key), 422, "idempotency-key-reused")
    # Another client's key of the same name is its own.
    program.set(KEY, 3, key, by="carol")
    for field in ("", "a b", "x" * 256):
        expect(program.ask("PATCH", f"/settings/{KEY}", 4, ("Idempotency-Key", field)), 400, "invalid-request")
    # A refused one is tried again.
    retried = ("Idempotency-Key", f"second-{value}")
    expect(program.ask("PATCH", f"/settings/{KEY}", 0, retried), 422, "invalid-value")
    program.set(KEY, 5, retried)
    token = program.get(f"/settings/history?key={KEY}&limit=1").json["entries"][0]["token"]
    undo = ("Idempotency-Key", f"undo-{value}")
    first = expect(program.ask("POST", f"/settings/undo/{token}", None, undo), 200)
    check(expect(program.ask("POST", f"/settings/undo/{token}", None, undo), 200).text == first.text,
          "A repeated undo was answered differently.")


def cut_answers(program):
    """Clients that are cut off before the answer, and repeat the request, have changed the setting once."""
    for round in range(20):
        value = unique()
        body = json.dumps(value).encode()
        head = (f"PATCH /settings/{KEY} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token_of('alice')}\r\n"
                f"Idempotency-Key: cut-{round}-{value}\r\nContent-Length: {len(body)}\r\n\r\n")
        connection = socket.create_connection(("127.0.0.1", program.port), timeout=PATIENCE)
        connection.sendall(head.encode() + body)
        if round % 2:
            # With a reset instead of an end, which may overtake what was sent.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        answers = []

        def is_answered(value=value, round=round, answers=answers):
            answer = program.ask("PATCH", f"/settings/{KEY}", value, ("Idempotency-Key", f"cut-{round}-{value}"))
            answers.append(answer)
            check(answer.status in (200, 409), f"A repeated request was answered with {answer}")
            return answer.status == 200

        until(is_answered, "a repeated request was answered", PATIENCE)
        made = times_stored(program, KEY, value)
        check(made == 1, f"A request that was cut off and repeated was made {made} times; the answers: {answers[-1]}")
    value = unique()

    def write(_):
        return program.ask("PATCH", f"/settings/{KEY}", value, ("Idempotency-Key", f"at-once-{value}")).status

    statuses = together(8, write)
    check(set(statuses) <= {200, 409} and 200 in statuses, f"Eight at once were answered with {statuses}.")
    check(times_stored(program, KEY, value) == 1, "Of eight at once, more than one was made.")


CHECKS = [
    ("If-Match with settings, groups and all", matching), ("eight writers with one tag", one_of_many),
    ("lost answers, also across kill -9", lost_answers), ("Idempotency-Key", idempotency),
    ("answers that are cut off", cut_answers),
]
