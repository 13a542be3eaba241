"""A client in Python's http.client."""

import http.client
import json
import sys
import urllib.parse

verb, url, token, *rest = sys.argv[1:]
parts = urllib.parse.urlsplit(url)
connection = http.client.HTTPConnection(parts.netloc)
headers = {"Authorization": f"Bearer {token}"}
if verb == "write":
    tag, body = rest
    connection.request("PATCH", parts.path, body, {**headers, "If-Match": tag, "Content-Type": "application/json"})
    print(connection.getresponse().status)
else:
    connection.request("GET", parts.path, headers=headers)
    answer = connection.getresponse()
    if verb == "read":
        print(json.dumps([answer.status, answer.headers["ETag"], answer.read().decode()]))
    else:
        while line := answer.readline():
            print(line.decode(), end="", flush=True)
