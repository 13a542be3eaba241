"""Attacks that guess: at once, while they are killed or paused, and on copies of a lock."""

import shutil
import threading
import time

from lab import FREE_GUESSES, RIGHT, attack
from program import at


def guess_on_clones(run, pauses):
    folder = run.new()
    witness = folder / "witness" / "w.json"
    original = folder / "original"
    original.mkdir()
    run.must_enrol(original / "s.json", witness=witness)
    clones = [folder / f"clone {number}" for number in range(24)]
    for clone in clones:
        shutil.copytree(original, clone)
    answered = 0
    for _ in range(run.choose(1, FREE_GUESSES + 1)):
        answers = run.race([run.start(["unlock"], at(clone / "s.json"), witness) for clone in clones], pauses=pauses)
        answered += sum(answer.is_definite for answer in answers)
        run.tried(*answers)
    counted = max(run.status(clone / "s.json", witness).count or 0 for clone in clones)
    run.gain(answered - min(counted, FREE_GUESSES), f"{answered} answers, and no clone counts more than {counted}")


@attack("24 clones of a lock guess at once, beside one witness", compares=True)
def clones(run):
    guess_on_clones(run, pauses=False)


@attack("the same, each process stopped and continued at random moments", compares=True)
def clones_with_pauses(run):
    guess_on_clones(run, pauses=True)


@attack("older files of a lock are restored, beside a witness")
def rollback(run):
    folder = run.new()
    witness, path = folder / "w.json", folder / "lock" / "s.json"
    path.parent.mkdir()
    run.must_enrol(path, witness=witness)
    shutil.copytree(path.parent, folder / "old")
    run.must_be_wrong(path, witness)
    for _ in range(run.choose(2, 20)):
        shutil.rmtree(path.parent)
        shutil.copytree(folder / "old", path.parent)
        answer = run.unlock(path, run.guess(), witness)
        run.tried(answer)
        run.gain(answer.is_definite, "an old lock was used beside its witness")


@attack("guesses are killed at random moments")
def kills(run):
    run.cases(lambda _, random: guess_under_kills(run, random), range(2))


def guess_under_kills(run, random):
    folder = run.lock()
    path = folder / "s.json"
    begin = time.monotonic()
    run.must_be_wrong(path)
    # As long as a whole guess takes here, and more, so that kills come at each of its moments.
    longest = time.monotonic() - begin
    answered = started = before = 1
    for _ in range(run.choose(8, 100)):
        program = run.start(["unlock"], at(path))
        begin = time.monotonic()
        killer = threading.Timer(random.uniform(0, longest * 1.2), program.process.kill)
        killer.start()
        answer = program.answer(run.guess())
        killer.cancel()
        if answer.code is not None and answer.code >= 0:
            longest = max(longest, time.monotonic() - begin)
        answered += answer.is_definite
        started += 1
        status = run.status(path)
        # A guess that was killed has reached the lock if it is counted.
        run.count_try(answer.has_reached_lock or (status.count or 0) > before, answer.is_definite)
        run.lose(not status.is_usable, f"the lock is {status} after a kill")
        if not status.is_usable:
            return
        before = status.count
        run.gain(answered - status.count, f"{answered} answers, and the lock counts {status.count}")
        run.lose(status.count - started, f"{started} tries, and the lock counts {status.count}")
        if status.count >= FREE_GUESSES - 1:
            right = run.unlock(path, RIGHT)
            run.lose(not right.is_right, "the right passcode was refused")
            answered = started = before = 0


@attack("processes guess at once", compares=True)
def races(run):
    for number in range(run.choose(1, 10)):
        folder = run.lock()
        programs = [run.start(["unlock"], at(folder / "s.json")) for _ in range(run.choose(8, 12))]
        answers = run.race(programs, pauses=number % 2 == 0)
        answered = sum(answer.is_definite for answer in answers)
        counted = run.status(folder / "s.json").count or 0
        run.tried(*answers)
        run.gain(answered - counted, f"{answered} answers, and the lock counts {counted}")
        run.gain(answered - FREE_GUESSES, f"{answered} answers before the first wait")
        run.lose(counted - answered, f"the lock counts {counted}, and {answered} were answered")


@attack("a right and wrong passcodes race", compares=True)
def right_among_wrong(run):
    for _ in range(run.choose(1, 10)):
        folder = run.lock(2)
        programs = [run.start(["unlock"], at(folder / "s.json")) for _ in range(run.choose(4, 6))]
        answers = run.race(programs, [RIGHT] + [run.guess() for _ in programs[1:]])
        run.tried(*answers)
        wrong = sum(answer.is_wrong for answer in answers)
        # Before the right one three may be wrong, and after it five.
        most = 2 * FREE_GUESSES - 2 if answers[0].is_right else FREE_GUESSES - 2
        run.gain(wrong - most, f"{wrong} wrong guesses were compared")
