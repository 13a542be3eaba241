"""Every route of the API, with each status that a client can bring about."""

import json

from harness import check, until
from served import MERGE_PATCH, expect

GETS = [
    "/settings", "/settings/limits.perSecond", "/settings/limits", "/settings/history", "/health/live", "/health/ready",
    "/metrics", "/openapi.json",
]


def reading(program):
    """Listings, single settings, groups and explanations; and HEAD and 304 for each of them."""
    listing = expect(program.get("/settings"), 200).json
    entries = {entry["key"]: entry for entry in listing["settings"]}
    check(listing["file"]["state"] in ("saved", "pending", "saving"), f"The file is {listing['file']}.")
    for key, value in [
        ("limits.perSecond", 1000), ("maintenance.message", "The service is down for maintenance."),
        ("maintenance.isOn", True), ("features.enabled", []), ("logging.level", "notice"),
    ]:
        check(entries[key]["value"] == value and entries[key]["type"], f"{key} should be {value!r}: {entries[key]}")
    check(entries["limits.perSecond"]["rules"], f"A limit has no rule: {entries['limits.perSecond']}")
    check(entries["logging.level"]["domain"] == "environment", f"A variable was not used: {entries['logging.level']}")
    check(entries["counts.starts"]["isOwnerOnly"] is True, f"A counter is for everyone: {entries['counts.starts']}")
    check("lockedBy" in entries["maintenance.isOn"], f"A lock is missing: {entries['maintenance.isOn']}")
    for key in ("logging.password", "admin.tokens"):
        check(entries[key]["isSecret"] is True and not {"value", "default", "stored"} & set(entries[key]),
              f"A secret is shown: {entries[key]}")
    one = expect(program.get("/settings/limits.perSecond?explain=true"), 200).json
    check(one["value"] == 1000 and one["explanation"], f"An explanation is missing: {one}")
    group = expect(program.get("/settings/logging"), 200).json
    check("password" not in group and group["level"] == "notice", f"A group: {group}")
    expect(program.get("/settings/nothing"), 404, "unknown-setting")
    # The listing has the state of the file, and so has its tag.
    until(lambda: program.get("/settings").json["file"]["state"] == "saved", "the file was saved", 30)
    for path in GETS:
        answer, head = expect(program.get(path), 200), expect(program.ask("HEAD", path), 200)
        check(head.data == b"", f"HEAD {path} has a body.")
        for name in ("content-type", "etag"):
            check(head.headers.get(name) == answer.headers.get(name), f"HEAD {path} has another {name}.")
        check(answer.headers["x-content-type-options"] == "nosniff", f"GET {path} may be sniffed.")
        tag = answer.headers.get("etag")
        if tag:
            again = program.get(path, ("If-None-Match", f'"other", {tag}'))
            check(again.status == 304 and again.data == b"", f"GET {path} with its tag: {again}")
    expect(program.ask("HEAD", "/settings/changes"), 200)


def writing(program):
    """Each way to change settings, and what each refuses."""
    check(program.set("limits.perSecond", 50).json["value"] == 50, "A value was not set.")
    program.set("limits", {"burst": 5}, MERGE_PATCH)
    answer = program.ask("PATCH", "/settings", {"limits.perSecond": 51, "features.enabled": ["a", "b"]})
    keys = {entry["key"]: entry["value"] for entry in expect(answer, 200).json["settings"]}
    check(keys == {"limits.perSecond": 51, "features.enabled": ["a", "b"]}, f"Several at once: {answer}")
    until(lambda: json.loads(program.file.read_text()).get("limits") == {"burst": 5, "perSecond": 51},
          "the file had the limits", 30)
    program.ask("PATCH", "/settings", {"limits": {"burst": None}, "features": {"enabled": ["c"]}}, MERGE_PATCH)
    check(program.get("/settings/limits.burst").json["isDefault"], "A null of a merge patch did not reset.")
    check(program.stored("features.enabled") == ["c"], "A merge patch did not set a list.")
    check(expect(program.ask("DELETE", "/settings/limits.perSecond"), 200).json["isDefault"], "DELETE did not reset.")
    covered = program.set("logging.level", "debug").json
    check((covered["value"], covered["stored"], covered["isCovered"]) == ("notice", "debug", True), f"Covered: {covered}")
    secret = program.set("logging.password", "very-secret-words").json
    check("value" not in secret, f"A secret was answered: {secret}")
    before = program.get("/settings/limits").json
    for path, body, headers, status, kind in [
        ("/settings/limits.perSecond", 0, (), 422, "invalid-value"),
        ("/settings/limits.perSecond", "many", (), 422, "invalid-value"),
        ("/settings/logging.level", "loud", (), 422, "invalid-value"),
        ("/settings/maintenance.message", "", (), 422, "invalid-value"),
        ("/settings/limits.perSecond", b"{", (), 400, "invalid-body"),
        ("/settings/limits.perSecond", b"", (), 400, "invalid-body"),
        ("/settings/limits.perSecond", b"1 2", (), 400, "invalid-body"),
        ("/settings/limits.perSecond", 1, (("Content-Type", "application/xml"),), 415, "unsupported-media-type"),
        ("/settings/limits.perSecond", 1, (("Content-Encoding", "gzip"),), 415, "unsupported-media-type"),
        ("/settings/limits.perSecond", 1, (("If-None-Match", "*"),), 400, "invalid-request"),
        ("/settings/nothing", 1, (), 404, "unknown-setting"),
        ("/settings", {"limits.perSecond": 7, "nothing": 1}, (), 404, "unknown-setting"),
        ("/settings", {"limits.perSecond": 7, "limits.burst": 0}, (), 422, "invalid-value"),
        ("/settings/maintenance.isOn", False, (), 409, "locked"),
        ("/settings/counts.starts", 9, (), 403, "owner-only"),
    ]:
        expect(program.ask("PATCH", path, body, *headers), status, kind)
    check(program.get("/settings/limits").json == before, "A refused change has changed something.")


def trying(program):
    """Neither a check, nor a dry run, nor a misspelt one writes."""
    value, token = program.stored("limits.burst"), program.get("/settings").json["token"]
    good = expect(program.ask("POST", "/settings/check", {"limits.burst": 9, "logging.level": "info"}), 200).json
    check(good == {"isValid": True, "keys": ["limits.burst", "logging.level"]}, f"A check: {good}")
    bad = program.ask("POST", "/settings/check", {"limits.burst": 0, "limits.perSecond": 0, "logging.level": "info"})
    check(len(expect(bad, 422, "invalid-value").json["problems"]) == 2, f"A check found {bad}")
    preview = expect(program.ask("PATCH", "/settings/limits.burst?dryRun=true", 9), 200).json
    check(preview["dryRun"] is True and preview["changes"] == [{"key": "limits.burst", "old": value, "new": 9}],
          f"A dry run: {preview}")
    for path, status, kind in [
        ("dryRun=true&force=true", 400, "unknown-parameter"), ("dryrun=true", 400, "unknown-parameter"),
        ("dry_run=true", 400, "unknown-parameter"), ("DryRun=true", 400, "unknown-parameter"),
        ("dryRun%20=true", 400, "unknown-parameter"), ("dryRun=yes", 400, "invalid-request"),
        ("dryRun=", 400, "invalid-request"), ("dryRun=true&dryRun=false", 400, "invalid-request"),
    ]:
        for method, body in (("PATCH", 9), ("DELETE", None)):
            expect(program.ask(method, f"/settings/limits.burst?{path}", body), status, kind)
    expect(program.ask("PATCH", "/settings/limits.burst?dryRun=true", 0), 422, "invalid-value")
    for guess in ("very-secret-words", "another"):
        preview = program.ask("PATCH", "/settings/logging.password?dryRun=true", guess).json
        check(preview["changes"] == [{"key": "logging.password", "isSecret": True}], f"A secret was guessed: {preview}")
    check(program.get("/settings").json["token"] == token, "Something was stored that was only to be tried.")
    check(program.stored("limits.burst") == value, "A dry run has changed something.")


def history(program):
    """Who has changed what, and back."""
    program.set("limits.burst", 60)
    program.set("limits.burst", 61, by="carol")
    found = expect(program.get("/settings/history?key=limits.burst&limit=2"), 200).json["entries"]
    check([entry["author"]["name"] for entry in found] == ["carol", "alice"], f"The authors: {found}")
    check(found[0]["changes"] == [{"key": "limits.burst", "old": 60, "new": 61}], f"The newest: {found[0]}")
    check(expect(program.get("/settings/history?since=2999-01-01"), 200).json["entries"] == [], "The future has a history.")
    expect(program.get("/settings/history?since=yesterday"), 400, "invalid-request")
    expect(program.get("/settings/history?limit=0"), 400, "invalid-request")
    expect(program.get("/settings/history?key=a..b"), 400, "invalid-request")
    program.set("logging.password", "very-secret-words, new ones")
    secret = program.get("/settings/history?key=logging.password").json["entries"]
    check(secret and secret[0]["changes"] == [{"key": "logging.password", "isSecret": True}], f"A secret: {secret}")
    conflict = program.ask("POST", f"/settings/undo/{found[1]['token']}")
    expect(conflict, 409, "nothing-to-undo")
    undone = expect(program.ask("POST", f"/settings/undo/{found[0]['token']}"), 200).json
    check(undone["keys"] == ["limits.burst"] and program.stored("limits.burst") == 60, f"An undo: {undone}")
    forced = expect(program.ask("POST", f"/settings/undo/{found[1]['token']}?force=true"), 200).json
    check(forced["keys"] == ["limits.burst"], f"A forced undo: {forced}")
    expect(program.ask("POST", "/settings/undo/nothing"), 404, "unknown-transaction")
    expect(program.ask("POST", f"/settings/undo/{found[0]['token']}?forse=true"), 400, "unknown-parameter")


def status(program):
    """Health for everyone, metrics in both formats, and the document of what there is."""
    for path in ("live", "ready"):
        answer = expect(program.get(f"/health/{path}", by=None), 200).json
        check(answer["status"] == path, f"/health/{path}: {answer}")
    expect(program.get("/metrics", by=None), 401, "missing-token")
    plain = expect(program.get("/metrics"), 200)
    check(plain.headers["content-type"].startswith("text/plain"), f"The metrics are {plain.headers['content-type']}.")
    check("# EOF" not in plain.text and "settings_changes_total" in plain.text, "The metrics are none of Prometheus.")
    both = program.get("/metrics", ("Accept", "application/openmetrics-text; version=1.0.0"))
    check(both.text.endswith("# EOF\n") and "openmetrics" in both.headers["content-type"], "They are not OpenMetrics.")
    document = expect(program.get("/openapi.json"), 200).json
    check(document["openapi"] == "3.1.0", "There is no document.")
    paths = {
        "/settings", "/settings/{key}", "/settings/check", "/settings/changes", "/settings/history",
        "/settings/undo/{token}", "/health/live", "/health/ready", "/metrics", "/openapi.json",
        "/ofrep/v1/evaluate/flags", "/ofrep/v1/evaluate/flags/{key}"}
    check(set(document["paths"]) == paths, f"The paths of the document: {sorted(document['paths'])}")


def methods(program):
    """OPTIONS lists the methods of a path; others are refused with the same list."""
    for path, allowed in [
        ("/settings", "GET, HEAD, OPTIONS, PATCH"), ("/settings/limits.burst", "DELETE, GET, HEAD, OPTIONS, PATCH"),
        ("/settings/undo/x", "OPTIONS, POST"), ("/metrics", "GET, HEAD, OPTIONS"),
    ]:
        options = program.ask("OPTIONS", path)
        check(options.status == 204 and options.headers["allow"] == allowed, f"OPTIONS {path}: {options.headers['allow']}")
        check(("accept-patch" in options.headers) == ("PATCH" in allowed), f"OPTIONS {path}: {options.headers}")
        put = expect(program.ask("PUT", path, 1), 405, "method-not-allowed")
        check(put.headers["allow"] == allowed, f"PUT {path}: {put.headers['allow']}")
    # A method that HTTP has not is 501, so that a proxy knows.
    expect(program.ask("PROPFIND", "/settings"), 501, "not-implemented")
    check(program.get("/nothing").status == 404, "There is something at /nothing.")
    check("a second" in program.get("/hello", by=None).text, "The program's own route does not answer.")


def secrets(program):
    """No secret was answered, sent as an event, or logged, in all that came before."""
    program.set("logging.password", "very-secret-words, the last ones")
    until(lambda: "very-secret-words, the last ones" in program.file.read_text(), "the secret was in the file", 30)
    texts = program.texts + [program.log.read_text()]
    for part in ("very-secret-words", "0123456789abcdef"):
        check(not any(part in text for text in texts), f"A secret with “{part}” was shown.")


CHECKS = [
    ("listings, settings, groups, HEAD and 304", reading), ("changes, and what is refused", writing),
    ("checks, dry runs and misspelt parameters write nothing", trying), ("history and undo", history),
    ("health, metrics, document", status), ("methods", methods),
]
