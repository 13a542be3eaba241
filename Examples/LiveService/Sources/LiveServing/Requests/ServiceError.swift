import Hummingbird
import NIOCore
import Settle

/// An error response: a status and a sentence, as `{"error": "…"}`.
struct ServiceError: HTTPResponseError {
    let status: HTTPResponse.Status
    let sentence: String
    let headers: HTTPFields

    init(_ status: HTTPResponse.Status, _ sentence: String, headers: HTTPFields = [:]) {
        self.status = status
        self.sentence = sentence
        self.headers = headers
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        Response(json: ["error": .string(sentence)], status: status, headers: headers)
    }
}
