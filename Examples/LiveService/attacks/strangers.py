"""Programs of others: HTTP clients, a fuzzer that reads the OpenAPI document, and readers of the metrics."""

import re
import subprocess
import urllib.request

from service import Connection
from target import PATIENCE, answer_to, run_json

# Each takes the address and a count, and prints how many requests it sent and how many were answered well.
HTTPX = """
import httpx, sys
with httpx.Client(base_url=sys.argv[1], timeout=60) as client:
    print([int(sys.argv[2]), sum(client.get("/hello").json() == {"greeting": "Hello."} for _ in range(int(sys.argv[2])))])
"""
AIOHTTP = """
import aiohttp, asyncio, sys
async def main():
    async with aiohttp.ClientSession(sys.argv[1]) as session:
        async def ask():
            async with session.get("/hello") as answer:
                return await answer.json() == {"greeting": "Hello."}
        print([int(sys.argv[2]), sum(await asyncio.gather(*[ask() for _ in range(int(sys.argv[2]))]))])
asyncio.run(main())
"""
REQUESTS = """
import requests, sys
session = requests.Session()
print([int(sys.argv[2]), sum(session.get(sys.argv[1] + "/hello").json() == {"greeting": "Hello."} for _ in range(int(sys.argv[2])))])
"""
STANDARD = """
import http.client, json, sys
connection = http.client.HTTPConnection(sys.argv[1].split("//")[1])
good = 0
for _ in range(int(sys.argv[2])):
    connection.request("GET", "/hello")
    good += json.load(connection.getresponse()) == {"greeting": "Hello."}
print([int(sys.argv[2]), good])
"""
FETCH = """
const [url, count] = process.argv.slice(1)
let good = 0
for (let i = 0; i < +count; i++) good += (await (await fetch(url + "/hello")).json()).greeting === "Hello."
console.log(JSON.stringify([+count, good]))
"""


def python_client(script):
    return lambda target, url, count: run_json([target.tools.python, "-c", script, url, count])


def node(target, url, count):
    return run_json(["node", "--input-type=module", "-e", FETCH, url, count])


def output(command, **options):
    answer = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, **options)
    return answer.returncode, answer.stdout + answer.stderr


def curl(target, url, count):
    """Each of them on one connection; then a change with a body that curl announces with “Expect”."""
    code, text = output(["curl", "-sS", "--fail", *[f"{url}/hello"] * count])
    change = ["curl", "-sS", "--fail", "-X", "PATCH", "-H", f"Authorization: Bearer {target.token}", "-H", "Expect: 100-continue"]
    code_of_change, answer = output([*change, "--data", '"from curl"', f"{url}/settings/maintenance.message"])
    return count + 1, (text.count('"Hello."') if code == 0 else 0) + (code_of_change == 0 and '"from curl"' in answer)


def wget(target, url, count):
    code, text = output(["wget", "-q", "-O", "-", *[f"{url}/hello"] * count])
    return count, text.count('"Hello."') if code == 0 else 0


def number(pattern, text, default=None):
    found = re.search(pattern, text)
    return int(found[1]) if found else default


def ab(target, url, count):
    code, text = output(["ab", "-q", "-k", "-l", "-n", count * 20, "-c", 8, f"{url}/hello"])
    bad = number(r"Failed requests: +(\d+)", text, 1) + number(r"Non-2xx responses: +(\d+)", text, 0)
    done = number(r"Complete requests: +(\d+)", text, 0)
    return count * 20, done - bad if code == 0 else 0


def wrk(target, url, count):
    code, text = output(["wrk", "-t1", "-c8", "-d2s", "-T20s", f"{url}/hello"])
    done = number(r"(\d+) requests in", text, 0)
    bad = number(r"Non-2xx or 3xx responses: (\d+)", text, 0) + sum(map(int, re.findall(r"(?:connect|read|write|timeout) (\d+)", text)))
    return max(done, 1), done - bad if code == 0 else 0


def hey(target, url, count):
    code, text = output(["hey", "-n", count * 20, "-c", 8, f"{url}/hello"])
    return count * 20, number(r"\[200\]\s+(\d+) responses", text, 0) if "Error distribution" not in text else 0


def raw_old(target, url, count):
    good = 0
    for _ in range(count):
        answer, closed = answer_to(target, b"GET /hello HTTP/1.0\r\n\r\n", PATIENCE / 6)
        if not (closed and b" 200 " in answer and b"Hello." in answer):
            break
        good += 1
    return count, good


def raw_pipeline(target, url, count):
    one = b"GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"
    last = one.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    answer, closed = answer_to(target, one * (count - 1) + last, PATIENCE / 6)
    return count, answer.count(b'"Hello."') if closed else 0


CLIENTS = {
    "curl": curl, "wget": wget, "httpx": python_client(HTTPX), "aiohttp": python_client(AIOHTTP),
    "requests": python_client(REQUESTS), "http.client": python_client(STANDARD), "node's fetch": node, "ab": ab, "wrk": wrk,
    "hey": hey, "raw HTTP/1.0": raw_old, "raw pipelining": raw_pipeline,
}


def clients(target, quick):
    target.start_with()
    target.patch(Connection(target.port), "requests.timeout", "60s")
    broken, tries = [], 0
    for name, client in CLIENTS.items():
        try:
            asked, good = client(target, f"http://127.0.0.1:{target.port}", 100 if quick else 500)
            broken += [f"{name}: {good} of {asked} requests were answered well."] * (asked - good)
        except Exception as error:
            asked = 1
            broken.append(f"{name}: {error!r}")
        tries += asked
    return broken, tries


# Changes that would close the service to the fuzzer, or make it answer 503 and 504 as documented, are only tried: a dry run refuses what a
# change would refuse.
HOOKS = """
import schemathesis
KEYS = ["features.enabled", "logging.level", "logging.format", "maintenance.message", "shutdown.grace"]

def keys(case):
    # A body for all settings may also be a merge patch, whose members are groups, and which resets all of them if it is null.
    if case.path == "/settings":
        return list(case.body) if isinstance(case.body, dict) else [None]
    return [(case.path_parameters or {}).get("key")]

@schemathesis.hook
def before_call(context, case, kwargs):
    query = case.query or {}
    dangerous = case.method in ("PATCH", "DELETE") and any(key not in KEYS for key in keys(case))
    if dangerous and query.get("dryRun", False) in (True, False, "true", "false"):
        case.query = {**query, "dryRun": "true"}
    if case.query and "ms" in case.query:
        case.query["ms"] = short(case.query["ms"])

def short(wait):
    # Of several values the service takes the first, which the fuzzer may have hidden in lists.
    if isinstance(wait, (list, tuple)):
        return [short(element) for element in wait]
    try:
        return 50 if 50 < int(str(wait)) <= 60_000 else wait
    except ValueError:
        return wait
"""
# 412, which comes before a look at the body, is a refusal too.
CONFIGURATION = """
[checks]
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 412, 413, 414, 415, 422, 431]
"""
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance," \
    "response_schema_conformance,negative_data_rejection,ignored_auth"


def fuzzer(target, quick):
    # So that the fuzzer also meets settings that are covered.
    target.start_with(arguments=["--features.enabled", "a,b"], variables={"LIVE_LOGGING_LEVEL": "notice"})
    (target.folder / "live_service_hooks.py").write_text(HOOKS)
    (target.folder / "schemathesis.toml").write_text(CONFIGURATION)
    command = [
        target.tools.schemathesis, "run", f"http://127.0.0.1:{target.port}/openapi.json", "--no-color", "--exclude-path",
        "/settings/changes", "--header", f"Authorization: Bearer {target.token}", "--checks", CHECKS, "--max-examples",
        10 if quick else 200, "--suppress-health-check", "all",
    ]
    environment = {"SCHEMATHESIS_HOOKS": "live_service_hooks", "PATH": "/usr/bin:/bin", "PYTHONPATH": str(target.folder)}
    code, text = output(command, cwd=target.folder, env=environment)
    tries = number(r"(\d+) generated", text, 0)
    # Each finding with the request that shows it.
    found = [block.strip()[:2_000] for block in re.findall(r"^- .*?(?=^- |^_{5}|^={5}|\Z)", text, re.MULTILINE | re.DOTALL)]
    if target.admin(Connection(target.port, timeout=PATIENCE), "GET", "/settings")[0] != 200:
        found.append("The token is no longer valid.")
    if code or not tries:
        found = found or [text[-600:]]
    return found, tries


def readers(target, quick):
    """The metrics and the document, as the programs that they are for read them."""
    target.start_with()
    for path in ("hello", "nothing", "settings"):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{target.port}/{path}").read()
        except urllib.error.HTTPError:
            pass
    return read_by_others(target)


def read_by_others(target):
    """What others can't read of the metrics, in both formats, and of the document; and how many have read them."""

    def get(path, accept="*/*"):
        headers = {"Authorization": f"Bearer {target.token}", "Accept": accept}
        request = urllib.request.Request(f"http://127.0.0.1:{target.port}/{path}", headers=headers)
        return urllib.request.urlopen(request, timeout=PATIENCE).read().decode()

    # Prints the names of the metrics without a description.
    parser = "import json, sys; from prometheus_client.{}parser import text_string_to_metric_families as parse; " \
        "print(json.dumps([family.name for family in parse(sys.stdin.read()) if not family.documentation]))"
    metrics, python = get("metrics"), target.tools.python
    open_metrics = get("metrics", "application/openmetrics-text; version=1.0.0")
    document = target.folder / "openapi.json"
    document.write_text(get("openapi.json"))
    # Each with what it must print; nothing for anything.
    programs = [
        ("prometheus_client", [python, "-c", parser.format("")], metrics, "[]"),
        ("prometheus_client for OpenMetrics", [python, "-c", parser.format("openmetrics.")], open_metrics, "[]"),
        ("openapi-spec-validator", [python, "-m", "openapi_spec_validator", document], "", None),
    ]
    if target.tools.promtool.exists():
        programs.append(("promtool", [target.tools.promtool, "check", "metrics"], metrics, ""))
    broken = []
    for name, command, given, expected in programs:
        code, text = output(command, input=given)
        if code or expected not in (None, text.strip()):
            broken.append(f"{name}: {text[:400]}")
    return broken, len(programs)


ATTACKS = [
    ("requests of 12 different HTTP clients", clients),
    ("schemathesis with the OpenAPI document", fuzzer),
    ("readers of the metrics and the document", readers),
]
