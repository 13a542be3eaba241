"""Attacks on the file's history: followers through kills, clients that write what they have read, and undos under load."""

import json
import random
import threading
import time

from harness import together
from service import Connection, Events, wait
from target import PATIENCE

KEYS = ("maintenance.message", "features.enabled")


def value_of(key, text):
    return [text] if key == "features.enabled" else text


class Writer(threading.Thread):
    """Gives a setting values that nobody else gives it, until the service is gone or enough is written."""

    def __init__(self, target, key, name, count=1_000_000, pause=0):
        super().__init__()
        self.target, self.key, self.prefix, self.count, self.pause = target, key, name, count, pause
        self.acknowledged = []

    def run(self):
        try:
            connection = Connection(self.target.port, timeout=PATIENCE)
            for number in range(self.count):
                value = value_of(self.key, f"{self.prefix}-{number}")
                self.target.patch(connection, self.key, value)
                self.acknowledged.append(json.dumps(value))
                time.sleep(random.uniform(0, self.pause))
        except Exception:
            pass


def follow_through_kills(target, quick):
    """A client that comes back after each kill -9 gets each change once, in order, and never a snapshot."""
    target.start_with()
    stream = Events(target)
    wait(lambda: len(stream.events) >= 2, "the stream had begun", PATIENCE)
    broken, changes, acknowledged = [], [], []
    for round in range(10 if quick else 100):
        writers = [Writer(target, key, f"{round}-{number}") for key in KEYS for number in range(2)]
        for writer in writers:
            writer.start()
        time.sleep(random.uniform(0.01, 0.3))
        # Some of the changes may be under way to the client.
        target.kill()
        for writer in writers:
            writer.join()
            acknowledged += [(writer.key, value) for value in writer.acknowledged]
        stream.thread.join()
        changes += stream.changes()
        broken += [f"There was a snapshot in round {round}."] * (sum(name == "snapshot" for name, _ in stream.events) - (round == 0))
        if round % 3 == 0:
            # While the service is not there, another process makes a change.
            target.run("settings", "set", "limits.burst", str(50_000 + round), "--by", "attack")
            acknowledged.append(("limits.burst", str(50_000 + round)))
        target.start()
        stream = Events(target, stream.last_id)
    newest = target.admin(Connection(target.port, timeout=PATIENCE), "GET", "/settings")[1]["token"]
    wait(lambda: stream.last_id == newest, "the client had everything", PATIENCE)
    stream.leave()
    changes += stream.changes()
    return broken + each_once(changes, acknowledged), len(acknowledged)


def each_once(changes, acknowledged):
    broken = []
    places = [int(change["id"].split("-")[1]) for change in changes]
    if places != list(range(places[0], places[0] + len(places))):
        broken.append(f"The {len(places)} places are not each one once from {places[0]} to {places[-1]}.")
    seen, last = {}, {}
    for change in changes:
        for mutation in change["changes"]:
            key = mutation["key"]
            seen[key, json.dumps(mutation["new"])] = seen.get((key, json.dumps(mutation["new"])), 0) + 1
            if key in last and last[key] != mutation["old"]:
                broken.append(f"{key} was {last[key]}, and then changed from {mutation['old']}.")
            last[key] = mutation["new"]
    for key, value in acknowledged:
        if seen.get((key, value)) != 1:
            broken.append(f"The change of {key} to {value} was delivered {seen.get((key, value), 0)} times.")
    return broken


def read(target, connection, key):
    """The value of a setting, and the headers of a request that writes only if it is still the same."""
    answer = target.admin(connection, "GET", f"/settings/{key}")[1]
    return answer["value"], [("If-Match", f'"{answer["token"]}"')]


def write_what_was_read(target, quick):
    """Of clients that have read the same, exactly one writes; and no increment is lost.

    Each has a token of its own: a client that repeats its own last change is answered with 200 again, because its answer may have been lost.
    """
    target.start_with()
    writers, broken = 8, []
    connections = [Connection(target.port, timeout=PATIENCE) for _ in range(writers)]
    tokens = {f"writer {index}": f"the-token-of-writer-{index}" for index in range(writers)}
    target.patch(connections[0], "admin.tokens", tokens)

    def change(index, key, value, headers):
        return target.admin(
            connections[index], "PATCH", f"/settings/{key}", json.dumps(value), headers, tokens[f"writer {index}"])

    rounds = 20 if quick else 300
    for round in range(rounds):
        key = KEYS[round % 2]
        _, headers = read(target, connections[0], key)

        def write(index, round=round, key=key, headers=headers):
            return change(index, key, value_of(key, f"round-{round}-{index}"), headers)[0]

        statuses = together(writers, write)
        if sorted(map(str, statuses)) != ["200"] + ["412"] * (writers - 1):
            broken.append(f"In round {round} the answers were {statuses}.")
    increments = 5 if quick else 50

    def increment(index):
        tries = 0
        for _ in range(increments):
            while True:
                tries += 1
                value, headers = read(target, connections[index], "limits.burst")
                status, answer = change(index, "limits.burst", value + 1, headers)
                if status == 200:
                    break
                if status != 412 or [each["key"] for each in answer.get("conflicts", [])] != ["limits.burst"]:
                    raise RuntimeError(f"{status}: {answer}")
        return tries

    target.patch(connections[0], "limits.burst", 1)
    tries = together(writers, increment)
    broken += [repr(each) for each in tries if not isinstance(each, int)]
    value = target.value(connections[0], "limits.burst")
    if value != 1 + writers * increments:
        broken.append(f"{writers * increments} increments of 1 led to {value}.")
    return broken, rounds * writers + sum(each for each in tries if isinstance(each, int))


def undo_under_load(target, quick):
    """Undos of what others write meanwhile put back exactly what was there, and leave alone what has changed since."""
    target.start_with()
    count = 30 if quick else 150
    # With pauses, so that an undo comes in time now and then.
    writers = [Writer(target, key, f"writer-{number}", count, 0.04) for key in KEYS for number in range(2)]
    broken, undone = [], []
    stopping = threading.Event()

    def undo():
        connection = Connection(target.port, timeout=PATIENCE)
        while not stopping.is_set():
            entries = target.admin(connection, "GET", "/settings/history?limit=3")[1]["entries"]
            token = random.choice(entries)["token"]
            status, answer = target.admin(connection, "POST", f"/settings/undo/{token}")
            if status == 200 and answer["keys"]:
                undone.append((token, answer["token"]))
            elif status not in (200, 409):
                broken.append(f"An undo was answered with {status}: {answer}")
            # So that there are fewer transactions than the history keeps.
            time.sleep(0.02)

    threads = [threading.Thread(target=undo) for _ in range(2)]
    for thread in writers + threads:
        thread.start()
    for writer in writers:
        writer.join()
    # On a busy machine no undo may have come in time: the last ones do.
    end = time.monotonic() + 30
    while len(undone) < 3 and not broken and time.monotonic() < end:
        time.sleep(0.05)
    stopping.set()
    for thread in threads:
        thread.join()
    written = sum(len(writer.acknowledged) for writer in writers)
    if written != count * len(writers):
        broken.append(f"{written} of {count * len(writers)} changes were made.")
    connection = Connection(target.port, timeout=PATIENCE)
    entries = target.admin(connection, "GET", "/settings/history?limit=1000")[1]["entries"]
    broken += check_undos(entries[::-1], undone)
    for key in KEYS:
        mutations = [mutation for entry in entries for mutation in entry["changes"] if mutation["key"] == key]
        if target.value(connection, key) != mutations[0].get("new", target.value(connection, key)):
            broken.append(f"{key} is not as the history says.")
    if len(undone) < 3:
        broken.append(f"Only {len(undone)} transactions were undone.")
    return broken, written + len(undone)


def check_undos(entries, undone):
    """- entries: Oldest first."""
    broken, last, known = [], {}, {}
    for entry in entries:
        for mutation in entry["changes"]:
            key = mutation["key"]
            if key in last and last[key] != mutation.get("old"):
                broken.append(f"{key} was {last[key]}, and then changed from {mutation.get('old')}.")
            last[key] = mutation.get("new")
        if "undone" in entry:
            before = {mutation["key"]: mutation for mutation in known[entry["undone"]]["changes"]}
            for mutation in entry["changes"]:
                was = before[mutation["key"]]
                if (mutation.get("old"), mutation.get("new")) != (was.get("new"), was.get("old")):
                    broken.append(f"The undo {entry} does not take back {known[entry['undone']]}.")
        known[entry["token"]] = entry
    told = sorted((entry["undone"], entry["token"]) for entry in entries if "undone" in entry)
    if told != sorted(undone):
        broken.append(f"{len(undone)} undos were answered with 200, and the history has {len(told)}.")
    return broken


ATTACKS = [
    ("a follower with Last-Event-ID through kill -9", follow_through_kills),
    ("concurrent writers with If-Match", write_what_was_read),
    ("undos under load", undo_under_load),
]
