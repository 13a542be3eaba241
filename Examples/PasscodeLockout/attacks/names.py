"""Attacks with other names of the same files: spellings, links, mounts, and names that share one file of two."""

import json
import os
import shutil
import subprocess

from lab import FREE_GUESSES, attack, copies, state_of
from program import at


class Alias:
    """A way to name a lock's files: arguments, and a folder to start in."""

    def __init__(self, words, folder=None):
        self.words, self.folder = words, folder

    def unlock(self, run, witness=None):
        return run.start(["unlock"], self.words, witness, folder=self.folder)


class Aliases:
    """Names of a lock. Those of `whole` lead to both files, those of `first` and `second` to one of them and to a new or
    copied file, and `hard` are other entries for the same files in folders of their own."""

    def __init__(self, folder, bind):
        real = copies(folder)
        self.outside = folder.parent / f"{folder.name} links"
        self.outside.mkdir()
        (self.outside / "folder").symlink_to(folder)
        (self.outside / "chain").symlink_to(self.outside / "folder")
        both = self.links("both", *real)
        swapped = self.links("swapped", real[1], real[0])
        as_folder = self.links("as a folder", *real, names=("settings.json", "settings.copy.json"))
        copied = self.links("first and a copy", real[0], None)
        place(shutil.copy, real[1], copied / "s.copy.json")
        other = self.links("a copy and the second", None, real[1])
        place(shutil.copy, real[0], other / "s.json")
        self.whole = [
            Alias(at(real[0])), Alias(at(f"{folder}//s.json")), Alias(at(f"{folder}/./s.json")),
            Alias(at(f"{folder}/../{folder.name}/s.json")), Alias(at("s.json"), folder), Alias(at("./s.json"), folder),
            Alias(at(os.path.relpath(real[0], self.outside)), self.outside), Alias(at("/proc/self/cwd/s.json"), folder),
            Alias(at(self.outside / "folder" / "s.json")), Alias(at(self.outside / "chain" / "s.json")),
            Alias(at("s.json"), self.outside / "chain"), Alias(at(both / "s.json")), Alias(at(swapped / "s.json")),
            Alias(at(self.links("other names", *real, names=("x.json", "x.copy.json")) / "x.json")),
            Alias(at(self.links("one file twice", real[0], real[0]) / "s.json")),
            Alias(["--folder", str(as_folder)]), Alias(["--folder", "."], as_folder),
            Alias(["--folder", f"{as_folder}/"]), Alias(at(as_folder / "settings.json")),
        ]
        if bind:
            self.whole += [Alias(at(bind / "s.json")), Alias(at("s.json"), bind)]
        self.first = [
            Alias(at(self.links("first only", real[0], None) / "s.json")), Alias(at(copied / "s.json")),
            Alias(at(swapped / "s.copy.json")),
        ]
        self.second = [
            Alias(at(self.links("second only", None, real[1]) / "s.json")), Alias(at(other / "s.json")),
            Alias(at(real[1])), Alias(at("s.copy.json"), folder), Alias(at(both / "s.copy.json")),
            Alias(at(self.outside / "folder" / "s.copy.json")), Alias(at(as_folder / "settings.copy.json")),
        ]
        hard = self.links("hard", *real, make=os.link)
        hard_first = self.links("hard first", real[0], None, make=os.link)
        os.symlink(real[1], self.links("hard and symbolic", real[0], None, make=os.link) / "s.copy.json")
        self.hard = [
            Alias(at(hard / "s.json")), Alias(at(hard_first / "s.json")),
            Alias(at(self.outside / "hard and symbolic" / "s.json")),
        ]

    def links(self, name, first, second, names=("s.json", "s.copy.json"), make=os.symlink):
        folder = self.outside / name
        folder.mkdir()
        for target, link in zip((first, second), names, strict=True):
            if target is None:
                continue
            if make == os.symlink:
                # The state file is beside the file to which the link leads, even if that is not there.
                make(target, folder / link)
            else:
                place(make, target, folder / link)
        return folder


def place(make, path, target):
    """Makes a copy or a link of a settings file, if it is there, and of its state file."""
    for file, other in ((path, target), (state_of(path), state_of(target))):
        if file.exists():
            make(file, other)


class BindMount:
    """Another path of a folder, as only root can make it."""

    def __init__(self, folder):
        self.path = folder.parent / f"{folder.name} bound"
        self.path.mkdir()
        mount = ["mount", "--bind", str(folder), str(self.path)]
        self.is_made = shutil.which("mount") and subprocess.run(mount, capture_output=True).returncode == 0

    def __enter__(self):
        return self.path if self.is_made else None

    def __exit__(self, *_):
        if self.is_made:
            subprocess.run(["umount", str(self.path)], check=True)


def guess_on_aliases(run, choose):
    for _ in range(run.choose(1, 4)):
        folder = run.lock()
        with BindMount(folder) as bind:
            if not bind and "no bind mount could be made" not in run.notes:
                run.notes.append("no bind mount could be made")
            names = choose(Aliases(folder, bind))
            run.random.shuffle(names)
            answers = run.race([alias.unlock(run) for alias in names])
            answered = sum(answer.is_definite for answer in answers)
            status = run.status(folder / "s.json")
        run.tried(*answers)
        # If the names have left files that don't belong together, the lock refuses everything from now on.
        counted = status.count if status.is_usable else FREE_GUESSES
        run.gain(answered - counted, f"{answered} answers, and the lock counts {status.count}: {status.reason}")


@attack(
    "32 names of one lock guess at once: spellings, links, mounts, and the first file with another second one",
    compares=True)
def aliases(run):
    guess_on_aliases(run, lambda names: names.whole + names.first + names.whole[-8:])


@attack("32 names of one lock guess at once: the same with the second file", compares=True)
def aliases_of_second(run):
    guess_on_aliases(run, lambda names: names.whole + names.second + names.whole[-4:])


@attack("names that share no file, and hard links, guess at once beside one witness", compares=True)
def split(run):
    for _ in range(run.choose(1, 6)):
        folder = run.new() / "lock"
        folder.mkdir()
        witness = folder.parent / "w.json"
        run.must_enrol(folder / "s.json", witness=witness)
        names = Aliases(folder, None)
        chosen = names.first + names.second + names.hard * 2 + names.whole[:4]
        answered = 0
        for _ in range(run.choose(1, 3)):
            answers = run.race([alias.unlock(run, witness) for alias in chosen])
            answered += sum(answer.is_definite for answer in answers)
            run.tried(*answers)
        run.gain(answered - FREE_GUESSES, f"{answered} answers")
        found = [
            run.start(["status", "--json"], alias.words, witness, folder=alias.folder).answer() for alias in chosen]
        counts = [json.loads(answer.output).get("attemptCount") or 0 for answer in found if answer.output]
        run.gain(answered - max(counts), f"{answered} answers, and no name counts more than {max(counts)}")


@attack("each name alternates with the lock itself", compares=True)
def aliases_in_turn(run):
    def alternate(index, _):
        folder = run.lock()
        with BindMount(folder) as bind:
            names = Aliases(folder, bind)
            # The most different ones come first, so that the quick form has them.
            chosen = (names.first + names.second + names.whole)[index:]
            if not chosen:
                return
            answers = []
            for _ in range(2):
                answers.append(chosen[0].unlock(run).answer(run.guess()))
                answers.append(run.unlock(folder / "s.json", run.guess()))
            status = run.status(folder / "s.json")
        run.tried(*answers)
        if status.is_usable:
            answered = sum(answer.is_definite for answer in answers)
            what = f"{chosen[0].words}: {answered} answers, and the lock counts {status.count}"
            run.gain(answered - status.count, what)

    run.cases(alternate, range(run.choose(3, 33)))
