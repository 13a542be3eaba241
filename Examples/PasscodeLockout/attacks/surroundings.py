"""Attacks with what is around the program: its input, its limits, the modes of its files, and other processes and users."""

import fcntl
import os
import signal

from harness import together
from lab import RIGHT, attack, copies, results
from program import BOUND, at


@attack("standard input has no end")
def endless(run):
    for word in ("unlock", "enrol"):
        folder = run.lock()
        with open("/dev/zero", "rb") as zero:
            answer = run.start([word], at(folder / "s.json"), stdin=zero).answer(timeout=BOUND)
        run.tried(answer)
        run.gain(answer.code == 0, f"{word} takes it for a passcode")


@attack("the program may open few files")
def few_descriptors(run):
    # The largest limits are enough, so that a guess is counted.
    for limit in run.choose([5, 48], [4, 5, 6, 7, 8, 12, 16, 24, 32, 40, 48]):
        folder = run.lock()
        starve = ["sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh"]
        answers = [
            run.start([word], at(folder / "s.json"), prefix=starve).answer(run.guess(), timeout=BOUND)
            for word in ("unlock", "status", "unlock")]
        run.tried_together(*answers)
        what = f"{limit} files"
        for answer in answers:
            run.lose(answer.code is not None and answer.code < 0, f"{what}: ended with {answer.code}")
        status = run.status(folder / "s.json")
        answered = sum(answer.is_definite for answer in answers)
        run.gain(answered - (status.count or 0), f"{what}: {answered} answers, and the lock counts {status.count}")
        run.lose(not status.is_usable, f"{what}: the lock is {status}")


@attack("files that others may write or read are used as they are")
def wide_modes(run):
    for mode in run.choose([0o666], [0o666, 0o644, 0o777, 0o640]):
        folder = run.lock(1)
        for file in folder.iterdir():
            file.chmod(mode)
        answer = run.unlock(folder / "s.json", run.guess())
        # A schema shows only what the program's text shows. A settings file keeps the mode that its owner has given it: it
        # has nothing of the lock.
        files = [file for file in folder.iterdir() if not file.name.endswith(".schema.json") and file not in copies(folder)]
        wide = [file.name for file in files if file.stat().st_mode & 0o077]
        run.tried(*[answer] * len(list(folder.iterdir())))
        run.gain(len(wide), f"made {mode:o}: after a try {', '.join(wide)} can still be opened by others")


@attack("another process holds the lock's files, and reads are all it may do")
def held(run):
    cases = []
    names = sorted(file.name for file in run.lab.template(1, RIGHT).iterdir())
    if run.lab.is_quick:
        names = [name for name in names if name.startswith(".s.json") and name.endswith((".lock", ".journal"))]
    for name in names:
        for words, passcodes in [(["unlock"], [run.guess()]), (["status", "--json"], [])]:
            folder = run.lock(1)
            descriptor = os.open(folder / name, os.O_RDONLY)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            cases.append((name, words, passcodes, folder, descriptor, run.start(words, at(folder / "s.json"))))
    answers = results(together(len(cases), lambda index: cases[index][5].answer(*cases[index][2], timeout=BOUND)))
    for (name, words, _, folder, descriptor, _), answer in zip(cases, answers, strict=True):
        run.tried(answer)
        what = f"{name} is held, {words[0]}"
        if words[0] == "status" and answer.code is not None:
            run.lose(not answer.output.startswith("{"), f"{what}: prints no object")
        if answer.code == 4:
            says_who = str(os.getpid()) in answer.output + answer.errors
            run.lose(not says_who, f"{what}: does not say that process {os.getpid()} holds it: {answer.errors}")
        os.close(descriptor)
        if words[0] == "unlock":
            right = run.unlock(folder / "s.json", RIGHT)
            run.lose(not right.is_right, f"{what}: the lock does not open afterwards: {right.errors}")


@attack("another user, who may only read, holds the lock's files")
def held_by_reader(run):
    if os.geteuid() != 0:
        run.skipped = "needs root"
        return
    folder = run.lock(1)
    for place in (run.lab.folder, folder):
        place.chmod(0o755)
    for file in folder.iterdir():
        file.chmod(0o644)
    # The owner uses the lock before the reader comes, which is when modes can be narrowed.
    run.status(folder / "s.json")
    run.unlock(folder / "s.json", run.guess())
    files = [file for file in folder.iterdir() if file.suffix in (".lock", ".journal")]
    reader = hold_as_another_user(files)
    answer = run.start(["unlock"], at(folder / "s.json")).answer(RIGHT, timeout=BOUND)
    run.tried(answer)
    run.lose(not answer.is_right, f"the owner is kept out: {answer.errors or 'for ever'}")
    os.kill(reader, signal.SIGKILL)
    os.waitpid(reader, 0)


def hold_as_another_user(files):
    """A process that locks the files that it may read, until it is killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        # Locks that this process holds would live on in the child.
        os.closerange(3, writing)
        os.closerange(writing + 1, 4_096)
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        for file in files:
            try:
                fcntl.flock(os.open(file, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                pass
        os.write(writing, b"!")
        signal.pause()
    os.read(reading, 1)
    return child
