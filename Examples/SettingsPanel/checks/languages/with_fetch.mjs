// A client in Node's fetch.
const [verb, url, token, tag, body] = process.argv.slice(2)
const headers = { Authorization: `Bearer ${token}` }
if (verb === "read") {
  const answer = await fetch(url, { headers })
  console.log(JSON.stringify([answer.status, answer.headers.get("ETag"), await answer.text()]))
} else if (verb === "write") {
  headers["If-Match"] = tag
  headers["Content-Type"] = "application/json"
  console.log((await fetch(url, { method: "PATCH", headers, body })).status)
} else {
  const decoder = new TextDecoder()
  for await (const piece of (await fetch(url, { headers })).body) process.stdout.write(decoder.decode(piece, { stream: true }))
}
