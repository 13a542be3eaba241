"""Edits of the file, also ones that can't be parsed."""

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


CHECKS = [("edits of the file", edits)]
