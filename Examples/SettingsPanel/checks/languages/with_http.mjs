// A client in Node's module http.
import http from "node:http"

const [verb, url, token, tag, body] = process.argv.slice(2)
const headers = { Authorization: `Bearer ${token}` }
if (verb === "write") Object.assign(headers, { "If-Match": tag, "Content-Type": "application/json" })
const request = http.request(url, { method: verb === "write" ? "PATCH" : "GET", headers }, (answer) => {
  answer.setEncoding("utf8")
  if (verb === "follow") return answer.pipe(process.stdout)
  let text = ""
  answer.on("data", (piece) => { text += piece })
  answer.on("end", () => {
    console.log(verb === "write" ? answer.statusCode : JSON.stringify([answer.statusCode, answer.headers.etag, text]))
  })
})
request.end(body)
