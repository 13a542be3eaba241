"""Attacks with what is in a lock's files: other locks' and older copies, damage, and values that somebody types."""

import itertools
import json
import os
import shutil
import time

from harness import until
from lab import FOREIGN, FREE_GUESSES, RIGHT, attack, companions, copies, replace, state_of
from program import PATIENCE, at


@attack("one copy is another lock's, of an older, equal or newer generation")
def foreign(run):
    def mix(case, _):
        (own, other), index, with_journal = case
        folder, stranger = run.lock(own), run.lock(other, FOREIGN)
        before = run.status(folder / "s.json")
        path = copies(folder)[index]
        replace(path, copies(stranger)[index])
        for file in companions(path):
            if file not in (path, state_of(path)) and not with_journal:
                file.unlink()
        after = run.status(folder / "s.json")
        answer = run.unlock(folder / "s.json", FOREIGN)
        run.tried(answer)
        what = f"copy {index + 1} of {own} guesses was replaced by one of {other}"
        run.gain(answer.is_right, f"{what}, and its passcode was accepted")
        run.gain(answer.is_wrong, f"{what}, and a passcode was compared")
        run.gain(after.is_milder_than(before), f"{what}, and the lock became milder")

    guesses = [(1, 0), (1, 1), (1, 2)]
    run.cases(mix, itertools.product(guesses, range(2), run.choose([True], [True, False])))


def histories(run):
    """Ten states of copies: seven of one lock, three of another."""
    folder = run.lock(0)
    path = folder / "s.json"
    states = [run.copy(folder)]
    for passcodes in [[run.guess()], [run.guess(), run.guess()], [RIGHT]]:
        for passcode in passcodes:
            run.unlock(path, passcode)
        states.append(run.copy(folder))
    for _ in range(2):
        run.unlock(path, run.guess())
        states.append(run.copy(folder))
    answer = run.enrol(path, RIGHT, "3690")
    run.lose(answer.code != 0, f"a passcode can't be changed: {answer.errors}")
    states.append(run.copy(folder))
    return states + [run.lock(guesses, FOREIGN) for guesses in (0, 1, 5)]


@attack("copies out of ten histories of two locks, mixed")
def pairs(run):
    states = histories(run)
    alone = [run.status(state / "s.json") for state in states]
    is_foreign = [index >= 7 for index in range(len(states))]

    def mix(pair, _):
        one, other = pair
        folder = run.copy(states[one])
        replace(copies(folder)[1], copies(states[other])[1])
        status = run.status(folder / "s.json")
        run.tried(status)
        what = f"histories {one} and {other}"
        newer = alone[max(one, other)]
        run.gain(status.is_milder_than(alone[one]) and status.is_milder_than(newer), f"{what}: the lock is milder")
        if status.is_usable and is_foreign[one] != is_foreign[other]:
            run.gain(1, f"{what}: copies of two locks are used as one")
            return
        if status.is_usable and one != other:
            stricter = max(alone[one].count, alone[other].count)
            run.gain(status.count < stricter, f"{what}: the count is {status.count}, and one copy has {stricter}")
        is_over = time.monotonic() > alone[one].moment + alone[one].remaining
        if one == other and not (alone[one].name == "delayed" and is_over):
            run.lose(status.name != alone[one].name, f"{what}: an untouched lock is {status.name}")
        if status.name == "ready" and one != other and not is_foreign[one]:
            # An older passcode must not be accepted because one copy still has it.
            changed = 6 in (one, other)
            answer = run.unlock(folder / "s.json", RIGHT) if changed else None
            run.gain(bool(answer and answer.is_right), f"{what}: the passcode before the last change was accepted")
        shutil.rmtree(folder)

    all_pairs = list(itertools.product(range(len(states)), repeat=2))
    run.cases(mix, run.random.sample(all_pairs, run.choose(40, len(all_pairs))))


EMPTYINGS = {
    "files are {}": lambda file: file.write_text("{}"),
    "files are empty": lambda file: file.write_bytes(b""),
    "files are gone": lambda file: file.unlink(),
}


@attack("files are emptied or removed, and a passcode is chosen as if it were the first")
def emptied(run):
    def attempt(case, _):
        (name, empty), journal, previous = case
        folder = run.lock(guesses)
        for path in copies(folder):
            for file in companions(path):
                if file in (path, state_of(path)):
                    empty(file)
                elif file.name.endswith(".journal") and journal != "stay":
                    file.unlink() if "gone" in journal else file.write_bytes(b"")
                elif file.name.endswith(".previous") and not previous:
                    file.unlink()
            if not previous:
                path.with_suffix(".schema.json").unlink()
        left = sorted(file.name for file in folder.iterdir())
        if all(name.endswith(".lock") for name in left):
            return  # Nothing shows any more that there was a lock: only a witness can tell.
        answer = run.enrol(folder / "s.json", FOREIGN, FOREIGN)
        run.tried(answer)
        what = f"{name}, journals {journal}, previous versions {'stay' if previous else 'are gone'} ({len(left)} files)"
        run.gain(answer.has_enrolled, f"{what}: a new passcode was taken")
        status = run.status(folder / "s.json")
        run.gain(status.is_usable and not status.count, f"{what}: the lock forgot its tries")

    guesses = run.choose(1, 3)
    journals = ["stay", "are gone too", "are empty too"]
    cases = list(itertools.product(EMPTYINGS.items(), journals, [True, False]))
    run.cases(attempt, run.random.sample(cases, run.choose(10, len(cases))))


@attack("both journals are removed, alone or with the earlier versions, once a guess has ended by itself")
def journals_removed(run):
    removed = [(".journal",), (".journal", ".previous")]
    for guesses, suffixes in itertools.product(run.choose([3], range(FREE_GUESSES + 1)), removed):
        folder = run.lock(guesses)
        before = run.status(folder / "s.json")
        for file in folder.iterdir():
            if file.suffix in suffixes:
                file.unlink()
        after = run.status(folder / "s.json")
        answer = run.enrol(folder / "s.json", FOREIGN, FOREIGN)
        run.tried(answer)
        what = f"{guesses} guesses, {' and '.join(suffixes)} removed"
        run.gain(after.is_milder_than(before), f"{what}: {after}")
        run.lose(not after.is_usable, f"{what}: {after}")
        run.gain(answer.has_enrolled, f"{what}: a new passcode was taken")


TYPED = [
    '{"passcode": {"attemptCount": 0}}', '{"passcode": {"attemptCount": 0, "wait": null}}', '{"passcode": {}}',
    '{"passcode": null}', '{"passcode": 0}', '{"passcode": []}', '{"passcode.attemptCount": 0}',
    '{"passcode": {"attemptCount": "none"}}', '{"passcode": {"damage": "none"}}', '{"passcode": {"version": 2}}',
]


@attack("lock values are typed into the settings files, and older ones copied there from a state file")
def typed(run):
    def attempt(case, _):
        text, chosen = case
        folder, begin = run.lock(FREE_GUESSES), time.monotonic()
        before = run.status(folder / "s.json")
        run.lose(before.name != "delayed", f"after {FREE_GUESSES} guesses the lock is {before}")
        for path in (copies(folder)[index] for index in chosen):
            path.write_text(text or state_of(old / path.name).read_text())
        what = f"{text or 'an older record'} in {len(chosen)} of the files"
        answers = []
        for _ in range(2):
            after = run.status(folder / "s.json")
            run.gain(after.is_milder_than(before), f"{what}: {after}")
            if len(chosen) == 1 and text:
                run.lose(not after.is_usable, f"{what}: {after}")
            answers.append(run.unlock(folder / "s.json", RIGHT))
            if time.monotonic() > begin + before.remaining:
                break  # On a slow machine the wait may be over. Then the passcode is compared, and opens the lock.
            run.gain(answers[-1].is_definite, f"{what}: a passcode was compared during a wait")
            answers.append(run.enrol(folder / "s.json", FOREIGN, FOREIGN))
            run.gain(answers[-1].has_enrolled, f"{what}: a new passcode was taken")
        run.tried_together(*answers)

    old = run.lab.template(2, RIGHT)
    cases = list(itertools.product(TYPED, [(0,), (1,), (0, 1)])) + [(None, (0,)), (None, (1,))]
    run.cases(attempt, run.random.sample(cases, run.choose(12, len(cases))))


POLICIES = ["100", "21", "20", "5", "4", "0", "-1", "1e9", '"all"', "null", "{}", "[]"]


@attack("the policy is edited between guesses, in the settings file or in the state file")
def policies(run):
    def attempt(_, random):
        folder = run.lock()
        path, state = folder / "s.json", state_of(folder / "s.json")
        answered = 0
        for _ in range(FREE_GUESSES + 3):
            remembered = state.read_text()
            policy = f'"policy": {{"attemptLimit": {random.choice(POLICIES)}}}'
            if random.random() < 0.7:
                path.write_text(f"// mine\n{{{policy}}}\n")
            else:
                state.write_text(remembered.replace("{", f"{{ {policy},", 1))
            answer = run.unlock(path, run.guess())
            answered += answer.is_definite
            run.tried(answer)
            if "policy" in state.read_text():
                state.write_text(remembered)  # A try that was refused has saved nothing.
        status = run.status(path)
        run.gain(answered - FREE_GUESSES, f"{answered} answers before the first wait")
        run.gain(answered - (status.count or 0), f"{answered} answers, and the lock counts {status.count}")
        # Without a policy the lock is what it is built to be.
        path.write_text("{}")
        status = run.status(path)
        run.lose(not status.is_usable, f"without a policy the lock is {status}")

    run.cases(attempt, range(run.choose(3, 30)))


@attack("a copy is a link to the witness's own file, and restored with it")
def witness_links(run):
    for index, make in itertools.product((0, 1), (os.symlink, os.link)):
        folder, witness = run.new(), run.new() / "witness.json"
        path = folder / "s.json"
        run.must_enrol(path, witness=witness)
        # With the copy as it was the lock compares a passcode, and counts it.
        run.tried(run.unlock(path, run.guess(), witness))
        link = copies(folder)[index]
        for file in companions(link):
            file.unlink()
        if make == os.link and not witness.exists():
            continue
        make(witness, link)
        answers = [run.unlock(path, run.guess(), witness) for _ in range(2)]
        recovered = run.start(["recover", "--yes"], at(path), witness).answer()
        run.tried_together(*answers)
        what = f"copy {index + 1}, {make.__name__}"
        run.gain(sum(answer.is_definite for answer in answers), f"{what}: a passcode was compared")
        run.gain(recovered.code == 0, f"{what}: the witness was set aside")


@attack("names and stored texts have line breaks, escape sequences and direction marks")
def hostile_texts(run):
    hostile = "x\n\x1b[2J\u202efeigned"
    folder = run.new() / hostile
    shutil.copytree(run.lock(1), folder)
    path = folder / "s.json"
    path.write_text(json.dumps({"policy": {"attemptLimit": hostile}, "passcode": {"damage": hostile}}))
    for words in (
        ["status"], ["status", "--json"], ["audit"], ["audit", "--json"], ["settings", "list"], ["settings", "get"],
        ["settings", "explain", "policy.attemptLimit"], ["settings", "explain", "passcode.damage"], ["settings", "check"],
        ["settings", "history"], ["recover"],
    ):
        answer = run.start(words, at(path)).answer()
        shown = answer.output + answer.errors
        run.tried(answer)
        feigned = [line for line in shown.splitlines() if line.startswith("feigned")]
        run.gain(bool(feigned) or "\x1b" in shown or "\u202e" in shown, f"{' '.join(words)}: {shown!r}")


@attack("bits are flipped in one file or in two, during a wait")
def flipped_bits(run):
    original = run.lock(FREE_GUESSES)
    path = original / "s.json"
    if not run.lab.is_quick:
        # The first wait is a minute, which is too short for so many flips; the second one is five.
        until(lambda: run.status(path).name == "ready", "the first wait is over", PATIENCE, 1)
        run.must_be_wrong(path)
    before = run.status(path)

    def flip(number, random):
        folder = run.copy(original)
        files = [file for file in sorted(folder.iterdir()) if file.stat().st_size]
        chosen = random.sample(files, 1 if number % 3 else 2)
        for file in chosen:
            data = bytearray(file.read_bytes())
            # Most of a journal is unused.
            data[random.randrange(max(1, len(data.rstrip(b"\0"))))] ^= 1 << random.randrange(8)
            file.write_bytes(data)
        after = run.status(folder / "s.json")
        run.tried(after)
        names = [file.name for file in chosen]
        run.gain(after.is_milder_than(before), f"{names}: {after}")
        run.lose(after.name == "silent", f"{names}: status --json printed nothing")
        shutil.rmtree(folder)

    run.cases(flip, range(run.choose(40, 1_000)))
