"""Attacks on what is stored: kills under load, and a disk that is full."""

import os
import random
import subprocess
import threading
import time

from service import Connection
from target import PATIENCE, ask

# Each writer has a key of its own. A value is made from a number that only grows.
WRITERS = {
    "limits.burst": lambda number: 1 + number % 100_000,
    "limits.perSecond": lambda number: 100_000 - number % 90_000,
    "maintenance.message": lambda number: f"message {number}",
    "features.enabled": lambda number: [f"feature-{number}"],
}


class Writer(threading.Thread):
    """Changes a setting until the service is gone."""

    def __init__(self, target, key, number):
        super().__init__()
        self.target, self.key, self.number = target, key, number
        self.acknowledged, self.asked, self.count = None, None, 0

    def run(self):
        try:
            connection = Connection(self.target.port, timeout=PATIENCE)
            while True:
                self.number += 1
                self.asked = WRITERS[self.key](self.number)
                self.target.patch(connection, self.key, self.asked)
                self.acknowledged, self.count = self.asked, self.count + 1
        except Exception:
            pass


def kills(target, quick):
    """A change that was answered with 200 is there after kill -9, unless the next one has replaced it."""
    target.start_with()
    broken, tries, number = [], 0, 0
    for _ in range(10 if quick else 100):
        writers = [Writer(target, key, number) for key in WRITERS]
        for writer in writers:
            writer.start()
        time.sleep(random.uniform(0.01, 0.3))
        target.kill()
        for writer in writers:
            writer.join()
        target.start()
        connection = Connection(target.port, timeout=PATIENCE)
        for writer in writers:
            found = target.value(connection, writer.key)
            tries += writer.count
            if writer.acknowledged is not None and found not in (writer.acknowledged, writer.asked):
                broken.append(f"{writer.key} was {writer.acknowledged} and is {found} after the kill.")
        connection.close()
        number = max(writer.number for writer in writers)
    return broken, tries


def full_disk(target, quick):
    """On a full disk changes are refused and nothing else; with room again they are taken, and none is lost."""
    if os.geteuid() != 0:
        return ["Only root can mount the small disk that this needs."], 1
    disk = target.folder / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], check=True)
    try:
        target.file = disk / "settings.json"
        target.start_with()
        broken, tries = [], 0
        for round in range(2 if quick else 10):
            more_broken, more_tries = fill(target, disk, round)
            broken += more_broken
            tries += more_tries
        broken += target.wounds()
        return broken, tries
    finally:
        target.kill()
        subprocess.run(["umount", disk], check=True)
        target.file = target.folder / "settings.json"
        target.start()


def fill(target, disk, round):
    filler = disk / "filler"
    connection = Connection(target.port, timeout=PATIENCE)
    broken, refused, made, number = [], 0, 0, round * 10_000
    possible = set()
    with open(filler, "wb", buffering=0) as file:
        for size in (65_536, 512, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass
    # What the service has reserved lets some changes pass; then they must be refused.
    while refused < 20 and number < round * 10_000 + 5_000:
        number += 1
        text = f"message {number} " + "x" * 150
        status, answer = target.admin(connection, "PATCH", "/settings/maintenance.message", f'"{text}"')
        if status == 200:
            made, possible = made + 1, {text}
        elif status == 503:
            refused += 1
            possible.add(target.value(connection, "maintenance.message"))
        else:
            broken.append(f"On a full disk a change was answered with {status}: {answer}")
        if ask(target) != 200:
            broken.append("On a full disk a request was not answered.")
    if refused < 20:
        broken.append("The disk was never full.")
    # Killed while the disk is full, the service starts again with what was acknowledged.
    target.kill()
    target.start()
    connection = Connection(target.port, timeout=PATIENCE)
    found = target.value(connection, "maintenance.message")
    if found not in possible:
        broken.append(f"After a kill on a full disk the message is {found[:20]!r}.")
    filler.unlink()
    status = None
    end = time.monotonic() + PATIENCE
    while status != 200 and time.monotonic() < end:
        status, _ = target.admin(connection, "PATCH", "/settings/limits.burst", str(50_000 + round))
    target.kill()
    target.start()
    connection = Connection(target.port, timeout=PATIENCE)
    if target.value(connection, "limits.burst") != 50_000 + round:
        broken.append("A change after the disk had room again was lost.")
    if target.value(connection, "maintenance.message") != found:
        broken.append("What was stored on the full disk was lost.")
    return broken, made + 2 * refused + 3


ATTACKS = [("kill -9 under load: acknowledged changes", kills), ("a full disk", full_disk)]
