import Hummingbird

/// The client closed the connection before its request had arrived. Nobody reads the response, but it is counted.
struct ClientGone: HTTPResponseError {
    let status = HTTPResponse.Status(code: 499, reasonPhrase: "Client Closed Request")

    func response(from request: Request, context: some RequestContext) -> Response {
        Response(status: status)
    }
}
