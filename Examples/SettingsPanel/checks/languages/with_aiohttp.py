"""A client in aiohttp."""

import asyncio
import json
import sys

import aiohttp

verb, url, token, *rest = sys.argv[1:]


async def main():
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"}) as session:
        if verb == "read":
            async with session.get(url) as answer:
                print(json.dumps([answer.status, answer.headers["ETag"], await answer.text()]))
        elif verb == "write":
            tag, body = rest
            async with session.patch(url, json=json.loads(body), headers={"If-Match": tag}) as answer:
                print(answer.status)
        else:
            async with session.get(url) as answer:
                async for line in answer.content:
                    print(line.decode(), end="", flush=True)


asyncio.run(main())
