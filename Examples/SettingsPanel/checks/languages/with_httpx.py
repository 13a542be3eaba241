"""A client in httpx."""

import json
import sys

import httpx

verb, url, token, *rest = sys.argv[1:]
with httpx.Client(headers={"Authorization": f"Bearer {token}"}, timeout=None) as client:
    if verb == "read":
        answer = client.get(url)
        print(json.dumps([answer.status_code, answer.headers["ETag"], answer.text]))
    elif verb == "write":
        tag, body = rest
        print(client.patch(url, json=json.loads(body), headers={"If-Match": tag}).status_code)
    else:
        with client.stream("GET", url) as answer:
            for line in answer.iter_lines():
                print(line, flush=True)
