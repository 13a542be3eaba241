"""Where attacks are made: folders with locks, the run of an attack, and what it gains and loses."""

import concurrent.futures
import itertools
import pathlib
import random
import shutil
import signal
import threading
import time

from harness import check, together, where
from program import Program, Status, at

RIGHT, FOREIGN = "2580", "1111"
FREE_GUESSES = 5  # then the schedule's first wait begins, a minute
FRESH = 15  # seconds for which a lock that has to wait is copied, so that each copy has most of the wait before it

ATTACKS: dict[str, tuple] = {}


def attack(title, compares=False):
    """Registers an attack by the name of its function.

    - compares: Whether at least one of its guesses must be compared. Each attack must reach the lock.
    """
    def register(function):
        ATTACKS[function.__name__.replace("_", "-")] = (title, function, compares)
        return function
    return register


class Lab:
    """A folder for all attacks, and locks to copy for each of them."""

    def __init__(self, folder, is_quick, seed):
        self.folder, self.is_quick, self.seed = pathlib.Path(folder), is_quick, seed
        self.count = itertools.count()
        self.templates = {}
        # Held while a template is made, also for the one that it is made from.
        self.turn = threading.RLock()
        self.preparation = Run("preparation", self)

    def new(self):
        folder = self.folder / f"{next(self.count)}"
        folder.mkdir()
        return folder

    def copy(self, folder):
        target = self.folder / f"{next(self.count)}"
        shutil.copytree(folder, target, symlinks=True)
        return target

    def template(self, guesses, passcode):
        with self.turn:
            key, now = (guesses, passcode), time.monotonic()
            made, folder = self.templates.get(key, (0, None))
            if folder is None or guesses >= FREE_GUESSES and now - made > FRESH:
                folder = self.make(guesses, passcode)
                self.templates[key] = (now, folder)
            return folder

    def make(self, guesses, passcode):
        if guesses:
            folder = self.copy(self.template(guesses - 1, passcode))
            self.preparation.must_be_wrong(folder / "s.json")
        else:
            folder = self.new()
            # A policy that is as good as none, so that there is a settings file, too.
            (folder / "s.json").write_text('{"policy": {"minimumLength": 4}}')
            self.preparation.must_enrol(folder / "s.json", passcode)
        return folder


class Run:
    """An attack that is carried out, with random numbers of its own."""

    def __init__(self, name, lab):
        self.name, self.lab = name, lab
        self.random = self.generator("")
        self.gained = self.lost = self.tries = self.reached = self.compared = 0
        self.notes = []
        self.skipped = None
        self.turn = threading.Lock()
        self.numbers = itertools.count()

    def generator(self, part):
        return random.Random(f"{self.lab.seed} {self.name} {part}")

    def choose(self, quick, full):
        return quick if self.lab.is_quick else full

    # MARK: The program

    def start(self, words, lock, witness=None, **options):
        return Program(self, words, lock, witness, **options)

    def unlock(self, path, passcode, witness=None):
        return self.start(["unlock"], at(path), witness).answer(passcode)

    def enrol(self, path, *passcodes, witness=None):
        return self.start(["enrol"], at(path), witness).answer(*passcodes)

    def status(self, path, witness=None):
        return Status(self.start(["status", "--json"], at(path), witness).answer())

    def guess(self):
        """A wrong passcode that was not tried before."""
        return f"{self.name} {next(self.numbers)}"

    def must_be_wrong(self, path, witness=None):
        answer = self.unlock(path, self.guess(), witness)
        check(answer.is_wrong, f"The attacks can't begin: a wrong guess is not called wrong: {answer.errors}")

    def must_enrol(self, path, passcode=RIGHT, witness=None):
        answer = self.enrol(path, passcode, witness=witness)
        check(answer.has_enrolled, f"The attacks can't begin: no passcode can be chosen: {answer.errors}")

    # MARK: Locks

    def new(self):
        return self.lab.new()

    def copy(self, folder):
        return self.lab.copy(folder)

    def lock(self, guesses=0, passcode=RIGHT):
        """A folder with a lock, after wrong guesses: a copy of one that was made once, or, if it waits, within 15 seconds."""
        return self.copy(self.lab.template(guesses, passcode))

    # MARK: Several at once

    def cases(self, function, cases):
        """Calls function(case, random) for independent cases, two at a time, each with random numbers of its own."""
        def carry_out(numbered):
            index, case = numbered
            function(case, self.generator(index))

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(carry_out, enumerate(cases)))

    def race(self, programs, passcodes=None, pauses=False):
        """Has programs that wait for a passcode type at the same moment: wrong ones that differ, unless others are given."""
        passcodes = passcodes or [self.guess() for _ in programs]
        results(together(len(programs), lambda index: programs[index].reach_gate(passcodes[index])))
        over = threading.Event()
        processes = [program.process for program in programs]
        pausing = threading.Thread(target=pause, args=(processes, over, self.generator(f"pauses {next(self.numbers)}")))
        if pauses:
            pausing.start()
        try:
            return results(together(len(programs), lambda index: programs[index].answer(passcodes[index])))
        finally:
            over.set()
            if pauses:
                pausing.join()

    # MARK: The score

    def observe(self, command, answer):
        self.lose(answer.code is None, f"“{command}” waits for ever")
        self.lose(answer.has_crashed, f"“{command}” has ended with {answer.code}: {answer.errors[-200:]}")

    def tried(self, *answers):
        """Each answer, or status, is that of a try."""
        for answer in answers:
            self.tried_together(answer)

    def tried_together(self, *answers):
        """All answers are those of one try."""
        self.count_try(any(each.has_reached_lock for each in answers), any(each.is_definite for each in answers))

    def count_try(self, has_reached, is_compared=False):
        with self.turn:
            self.tries += 1
            self.reached += bool(has_reached)
            self.compared += bool(is_compared)

    def gain(self, number, note):
        with self.turn:
            self.gained += self.add("gained", number, note)

    def lose(self, number, note):
        with self.turn:
            self.lost += self.add("lost", number, note)

    def add(self, what, number, note):
        number = max(0, int(number))
        if number:
            self.notes.append(f"{what} {number}: {note}")
        return number

    def carry_out(self):
        _, function, compares = ATTACKS[self.name]
        try:
            function(self)
        except (Exception, SystemExit) as error:
            self.lose(1, f"The attack has ended early: {where(error)}")
        if not self.skipped:
            self.lose(not self.reached, f"none of {self.tries} tries has reached the lock")
            self.lose(compares and not self.compared, f"none of {self.tries} guesses was compared")


def results(found):
    for each in found:
        if isinstance(each, BaseException):
            raise each
    return found


def pause(processes, over, random):
    """Stops processes at random moments, and lets each continue a moment later, until all is over."""
    while not over.is_set():
        stopped = [process for process in processes if process.poll() is None and random.random() < 0.5]
        for process in stopped:
            process.send_signal(signal.SIGSTOP)
        time.sleep(random.uniform(0.001, 0.06))
        random.shuffle(stopped)
        for process in stopped:
            process.send_signal(signal.SIGCONT)
            time.sleep(random.uniform(0, 0.004))
        time.sleep(random.uniform(0, 0.02))


# MARK: The files of a lock

def companions(path):
    """A settings file, the state file, which has the lock, and the files beside them that the program made."""
    names = [path.name, state_of(path).name]
    starts = tuple(f"{dot}{name}." for name in names for dot in ("", "."))
    return [file for file in sorted(path.parent.iterdir()) if file.name in names or file.name.startswith(starts)]


def copies(folder):
    """The two settings files, of which there may be none."""
    return [folder / "s.json", folder / "s.copy.json"]


def state_of(path):
    return path.with_name(f"{path.stem}.state{path.suffix}")


def replace(path, other):
    """Puts another lock's copy in the place of one, with its companions."""
    for file in companions(path):
        file.unlink()
    for file in companions(other):
        shutil.copy2(file, path.parent / file.name.replace(other.name, path.name))
