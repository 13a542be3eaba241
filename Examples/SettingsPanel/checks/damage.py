"""Damage to the file: edits that can't be parsed, and a folder instead of it."""

import json

from harness import check, until
from served import PATIENCE, Stream

KEY = "limits.burst"


def state(program):
    return program.get("/settings").json["file"]["state"]


def rest(program):
    until(lambda: state(program) == "saved", "the file was saved", PATIENCE)


def edits(program):
    """An edit of the file is served and sent; one that can't be parsed is reported, and not overwritten."""
    program.set(KEY, 500)
    rest(program)
    stream = Stream(program).begin()
    contents = json.loads(program.file.read_text())
    contents["limits"]["burst"] = 501
    new = program.folder / "new"
    new.write_text(json.dumps(contents))
    new.rename(program.file)
    stream.until(lambda stream: stream.values(KEY) == [501], "the edit was sent")
    check(program.stored(KEY) == 501, "The edit is not served.")
    check(stream.named("change")[-1]["origin"] == "external", f"The edit: {stream.named('change')[-1]}")
    stream.close()
    broken = json.dumps(contents)[:-1]
    new.write_text(broken)
    new.rename(program.file)
    until(lambda: state(program) == "behind", "the broken edit was reported", PATIENCE)
    program.set(KEY, 502)
    check(program.file.read_text() == broken, "A broken edit was overwritten.")
    check("problem" in program.get("/settings").json["file"], "The broken edit has no reason.")
    check(program.get("/health/ready", by=None).status == 200, "With a broken edit the program is not ready.")
    check("problem" not in program.get("/health/ready", by=None).json["file"], "Everyone sees the reason, and the path.")
    contents["limits"]["burst"] = 502
    new.write_text(json.dumps(contents))
    new.rename(program.file)
    rest(program)
    check(program.stored(KEY) == 502, f"After the repair: {program.get(f'/settings/{KEY}')}")


def replace_by_folder(program):
    """Puts a folder in the file's place. The program may write the file again in between."""

    def is_folder():
        program.file.unlink(missing_ok=True)
        try:
            program.file.mkdir()
        except FileExistsError:
            return False
        return True

    until(is_folder, "a folder had the file's name", PATIENCE)


def folder(program):
    """With a folder where the file was, a change is on stable storage or refused; without it, the file is back.

    Twice: the first replacement must leave nothing that stops the second."""
    for first in (600, 700):
        program.set(KEY, first)
        until(program.file.is_file, "the file was written", PATIENCE)
        replace_by_folder(program)
        acknowledged, last = first, first + 10
        for value in range(first + 1, last + 1):
            answer = program.ask("PATCH", f"/settings/{KEY}", value)
            check(answer.status in (200, 503), f"Without a file, a change was answered with {answer}")
            if answer.status == 200:
                acknowledged = value
            else:
                check(answer.kind == "not-saved", f"A change that could not be saved: {answer}")
            ready = program.get("/health/ready", by=None).status
            check(ready in (200, 503), f"The program is neither ready nor not: {ready}")
        check(program.get("/hello", by=None).status == 200, "The program itself does not answer.")
        # Where the file can be written again, the folder is set aside, perhaps at this moment.
        try:
            program.file.rmdir()
        except (FileNotFoundError, NotADirectoryError):
            pass

        def is_back(value=last + 1):
            answer = program.ask("PATCH", "/settings/limits.perSecond", value)
            return answer.status == 200 and state(program) == "saved"

        def stored():
            return json.loads(program.file.read_text())["limits"] if program.file.is_file() else {}

        def are_reported():
            log = program.log.read_text(errors="replace")
            return all(f"“{aside.name}”" in log for aside in program.folder.glob(f"{program.file.name}.corrupt-*"))

        until(is_back, "the file was back", PATIENCE, pause=0.5)
        until(
            lambda value=last + 1: stored().get("perSecond") == value, "the file had the last change", PATIENCE)
        until(are_reported, "each folder that was set aside was reported with its new name", PATIENCE)
        found = stored()
        check(acknowledged <= found["burst"] <= last, f"The file has {found}, and not {acknowledged}.")
        program.kill()
        program.start()
        check(program.stored(KEY) == found["burst"], "After a kill, a value is another one.")


CHECKS = [("edits of the file", edits), ("a folder instead of the file", folder)]
