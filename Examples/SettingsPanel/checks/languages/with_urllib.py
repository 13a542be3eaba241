"""A client in Python's urllib."""

import json
import sys
import urllib.error
import urllib.request

verb, url, token, *rest = sys.argv[1:]
headers = {"Authorization": f"Bearer {token}"}
if verb == "read":
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
        print(json.dumps([answer.status, answer.headers["ETag"], answer.read().decode()]))
elif verb == "write":
    tag, body = rest
    headers.update({"If-Match": tag, "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body.encode(), headers, method="PATCH")) as answer:
            print(answer.status)
    except urllib.error.HTTPError as refusal:
        print(refusal.code)
else:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
        for line in answer:
            print(line.decode(), end="", flush=True)
