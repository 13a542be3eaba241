"""A client in requests."""

import json
import sys

import requests

verb, url, token, *rest = sys.argv[1:]
session = requests.Session()
session.headers["Authorization"] = f"Bearer {token}"
if verb == "read":
    answer = session.get(url)
    print(json.dumps([answer.status_code, answer.headers["ETag"], answer.text]))
elif verb == "write":
    tag, body = rest
    print(session.patch(url, json=json.loads(body), headers={"If-Match": tag}).status_code)
else:
    for line in session.get(url, stream=True).iter_lines(chunk_size=1, decode_unicode=True):
        print(line, flush=True)
