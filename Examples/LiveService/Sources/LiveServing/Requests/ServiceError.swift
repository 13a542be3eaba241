import Hummingbird
import NIOCore
import Settle

/// An error response: a status and a sentence, as `{"error": "…"}`, and what else a program may want to know.
struct ServiceError: HTTPResponseError {
    let status: HTTPResponse.Status
    let sentence: String
    let headers: HTTPFields
    /// More members of the JSON object.
    let details: SettingValue.Entries

    init(
        _ status: HTTPResponse.Status, _ sentence: String, headers: HTTPFields = [:],
        details: SettingValue.Entries = [:]
    ) {
        self.status = status
        self.sentence = sentence
        self.headers = headers
        self.details = details
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        var json = details
        json["error"] = .string(sentence)
        return Response(json: json, status: status, headers: headers)
    }
}
