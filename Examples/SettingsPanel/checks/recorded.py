"""The requests of a client of version 0.1, in recorded.http, are still answered as then."""

import json
import pathlib
import re

from harness import check
from served import Stream

RECORDING = pathlib.Path(__file__).with_name("recorded.http")
ANYTHING = "…"


def exchanges():
    """Each request and its answer, as lists of lines."""
    for block in RECORDING.read_text().split("\n\n"):
        lines = [line for line in block.splitlines() if line[:2] in ("> ", "< ")]
        if lines:
            yield [line[2:] for line in lines if line[0] == ">"], [line[2:] for line in lines if line[0] == "<"]


def difference(recorded, now, names, where):
    """How an answer differs from the recorded one; nothing if it only has further members."""
    if isinstance(recorded, str) and recorded.startswith("$"):
        recorded = names.setdefault(recorded, now)
    if recorded == ANYTHING:
        return None if now not in (None, "", [], {}) else f"{where} is {now!r}."
    if isinstance(recorded, dict) and isinstance(now, dict):
        missing = [name for name in recorded if name not in now]
        parts = [(value, now.get(name), f"{where}.{name}") for name, value in recorded.items()]
        found = [f"{where} has no {name}." for name in missing]
    elif isinstance(recorded, list) and isinstance(now, list) and len(recorded) == len(now):
        parts = [(value, other, f"{where}[{index}]") for index, (value, other) in enumerate(zip(recorded, now, strict=True))]
        found = []
    else:
        # Not by “==”, for which True is 1.
        return None if json.dumps(recorded) == json.dumps(now) else f"{where} is {now!r}, and was {recorded!r}."
    found += [sentence for value, other, path in parts if (sentence := difference(value, other, names, path))]
    return found[0] if found else None


def answer_to(program, lines):
    """The lines of an answer that are not of events."""
    client, method, path = lines[0].split(" ")
    headers = [tuple(line.split(": ", 1)) for line in lines[1:] if not line.startswith("= ")]
    body = [line[2:].encode() for line in lines[1:] if line.startswith("= ")]
    return program.ask(method, path, body[0] if body else None, *headers, by=None if client == "-" else client)


def events_after(program, lines, count):
    """The first events of a stream."""
    headers = dict(line.split(": ", 1) for line in lines[1:])
    stream = Stream(program, headers.get("Last-Event-ID"), by=lines[0].split(" ")[0])
    try:
        stream.until(lambda stream: len(stream.events) >= count, f"{count} events had come")
        return [(name, data) for name, _, data in stream.events[:count]]
    finally:
        stream.close()


def replay(program):
    """An answer may have further members and fields: clients skip those that they don't know."""
    names, count = {}, 0
    for request, expected in exchanges():
        request = [re.sub(r"\$\w+", lambda name: names[name[0]], line) for line in request]
        events = [line[2:].split(" ", 1) for line in expected if line.startswith("~ ")]
        found = []
        if events:
            for (name, data), (now, other) in zip(events, events_after(program, request, len(events)), strict=True):
                found.append(difference(name, now, names, "the event"))
                found.append(difference(json.loads(data), other, names, name))
        else:
            answer = answer_to(program, request)
            found.append(difference(int(expected[0]), answer.status, names, "the status"))
            for line in expected[1:]:
                if line.startswith("= "):
                    found.append(difference(json.loads(line[2:]), answer.json, names, "the body"))
                else:
                    name, value = line.split(": ", 1)
                    found.append(difference(value, answer.headers.get(name), names, name))
        check(not any(found), f"{request[0]}: {next(filter(None, found), None)}")
        count += 1
    check(count, "Nothing is recorded.")
