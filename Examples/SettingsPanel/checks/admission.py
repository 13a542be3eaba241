"""Tokens: missing and wrong ones, those that may only read or reach some keys, new ones and ones that are gone."""

import re
import time

from harness import check, until
from served import MERGE_PATCH, Stream, expect, token_of

WRONG = 300


def wrong_tokens(program):
    """They are all counted, and few are logged."""
    before, started = program.metric('settings_api_refused_requests_total{reason="wrong"}'), time.monotonic()
    already = program.log.read_text().count("Refused (wrong)")
    for number in range(WRONG):
        answer = expect(program.get("/settings", by=f"wrong-{number}-0123456789abcdef"), 401, "missing-token")
    check("invalid_token" in answer.headers["www-authenticate"], f"A wrong token: {answer.headers}")
    for by in ("mallory", token_of("alice")[:-1], token_of("alice") + "x", token_of("alice").upper()):
        expect(program.get("/settings", by=by), 401, "missing-token")
    for fields in [("Authorization", "Basic YTpi")], [("Authorization", "Bearer")], []:
        expect(program.ask("PATCH", "/settings/limits.burst", 1, *fields, by=None), 401, "missing-token")
    counted = program.metric('settings_api_refused_requests_total{reason="wrong"}') - before
    check(counted >= WRONG + 4, f"Of {WRONG + 4} wrong tokens, {counted:g} were counted.")
    logged = program.log.read_text().count("Refused (wrong)") - already
    # Ten at once, and one more every ten seconds.
    check(logged <= 11 + (time.monotonic() - started) / 10, f"{logged} wrong tokens were logged.")
    check(program.log.read_text().count("Refused"), "No refusal was logged.")


def readers(program):
    """bob may read everything and change nothing."""
    value = program.stored("limits.burst")
    token = program.get("/settings/history?limit=1", by="bob").json["entries"][0]["token"]
    for method, path, body in [
        ("PATCH", "/settings/limits.burst", 1), ("PATCH", "/settings/limits.burst?dryRun=true", 1),
        ("PATCH", "/settings", {"limits.burst": 1}), ("DELETE", "/settings/limits.burst", None),
        ("POST", f"/settings/undo/{token}", None),
    ]:
        expect(program.ask(method, path, body, by="bob"), 403, "not-permitted")
    expect(program.ask("POST", "/settings/check", {"limits.burst": 1}, by="bob"), 200)
    # Whether a merge with a secret is valid would say something about it.
    expect(program.ask("POST", "/settings/check", {"admin": {"tokens": {"x": "short"}}}, MERGE_PATCH, by="bob"), 403, "not-permitted")
    check(program.stored("limits.burst") == value, "A token that may only read has changed something.")


def some_keys(program):
    """carol reaches the limits, and does not learn that there is more."""
    keys = {entry["key"] for entry in expect(program.get("/settings", by="carol"), 200).json["settings"]}
    check(keys == {"limits.perSecond", "limits.burst"}, f"carol sees {keys}.")
    value, message = program.stored("limits.burst"), program.stored("maintenance.message")
    for method, path, body in [
        ("GET", "/settings/maintenance.message", None), ("GET", "/settings/maintenance", None),
        ("PATCH", "/settings/maintenance.message", "x"), ("DELETE", "/settings/maintenance", None),
        ("PATCH", "/settings", {"limits.burst": value + 1, "maintenance.message": "x"}),
        ("POST", "/settings/check", {"maintenance.message": "x"}),
    ]:
        expect(program.ask(method, path, body, by="carol"), 403, "not-permitted")
    check((program.stored("limits.burst"), program.stored("maintenance.message")) == (value, message),
          "A token of some keys has changed others, or a part of what was refused.")
    program.set("limits.burst", value % 1_000 + 1, by="carol")
    program.set("maintenance.message", "not for carol")
    texts = [program.get(path, by="carol").text for path in ("/settings/history?limit=1000", "/openapi.json", "/settings")]
    check(not any("maintenance" in text for text in texts), "carol sees another setting.")
    stream = Stream(program, by="carol").begin()
    program.set("maintenance.message", "nor this")
    program.set("limits.burst", 2_077)
    stream.until(lambda stream: stream.values("limits.burst") == [2_077], "carol had the change of a limit")
    stream.close()
    check("maintenance" not in str(stream.events), f"carol has events of another setting: {stream.events}")
    token = program.get("/settings/history?key=maintenance.message&limit=1").json["entries"][0]["token"]
    expect(program.ask("POST", f"/settings/undo/{token}", by="carol"), 403, "not-permitted")


def new_tokens(program):
    """A token in the folder or in the setting is accepted at once, and its streams end with it."""
    erin = "erin-0123456789abcdef"
    expect(program.get("/settings", by=erin), 401, "missing-token")
    program.set("admin.tokens", {"erin": erin})
    expect(program.get("/settings", by=erin), 200)
    stream = Stream(program, by=erin).begin()
    expect(program.ask("DELETE", "/settings/admin.tokens"), 200)
    expect(program.get("/settings", by=erin), 401, "missing-token")
    stream.until(lambda stream: stream.has_ended, "the stream of a removed token had ended")
    check(not stream.values("admin.tokens"), "The holder of a removed token saw that it was removed.")
    stream.close()
    # The folder is read at most once a second.
    program.add_token("dave", "dave-0123456789abcdef")
    until(lambda: program.get("/settings", by="dave-0123456789abcdef").status == 200, "a new file was accepted", 10)
    stream = Stream(program, by="dave-0123456789abcdef").begin()
    program.add_token("dave", {"token": "dave-0123456789abcdef", "access": "read"})
    stream.until(lambda stream: stream.has_ended, "the stream of a token with other rights had ended")
    stream.close()
    (program.tokens / "dave").unlink()
    until(lambda: program.get("/settings", by="dave-0123456789abcdef").status == 401, "a removed file was refused", 10)


def closed(program):
    """Without a token nobody is admitted, and the reason says what to do."""
    program.stop()
    away = program.folder / "away"
    program.tokens.rename(away)
    program.tokens.mkdir()
    program.start()
    answer = expect(program.get("/settings"), 403, "closed")
    check(re.search("no token is set", answer.json["detail"]), f"The reason: {answer}")
    expect(program.get("/health/live", by=None), 200)
    program.stop()
    program.tokens.rmdir()
    away.rename(program.tokens)
    program.start()
    expect(program.get("/settings"), 200)


CHECKS = [
    ("wrong tokens: counted, sparingly logged", wrong_tokens), ("a token that may only read", readers),
    ("a token of some keys", some_keys), ("new and removed tokens", new_tokens), ("no token at all", closed),
]
