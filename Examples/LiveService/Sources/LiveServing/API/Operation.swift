import HTTPTypes

/// What an endpoint takes and answers.
struct Operation: Sendable {
    /// Who may use an endpoint, and what may keep it from answering.
    enum Access: Sendable {
        /// Anyone at any time.
        case open
        /// Anyone, within the limits of the public endpoints.
        case limited
        /// Whoever has the token.
        case admin
    }

    struct Parameter: Sendable {
        enum Place: String {
            case path, query, header
        }

        let name: String
        let place: Place
        let description: String
        let schema: Schema
        var isRequired = false
    }

    struct Answer: Sendable {
        let status: HTTPResponse.Status
        let description: String
        var mediaType = "application/json"
        /// `nil` for an answer without a body.
        let schema: Schema?
    }

    let method: HTTPRequest.Method
    /// The path, with parameters in braces.
    let path: String
    let summary: String
    var access = Access.open
    var parameters: [Parameter] = []
    var body: Schema?
    let answers: [Answer]

    /// All answers, with those of its access and of every endpoint.
    var allAnswers: [Answer] { answers + access.answers + Answer.ofEveryEndpoint }
}

extension Operation.Answer {
    fileprivate static let ofEveryEndpoint: [Operation.Answer] = [
        .error(.badRequest, "The request is not valid."),
        .error(.requestTimeout, "The request took too long to arrive."),
        .error(.uriTooLong, "The path and the query are too long."),
        .error(.expectationFailed, "The service can't do what the request expects."),
        .error(.requestHeaderFieldsTooLarge, "The header is too large."),
        .error(.serviceUnavailable, "Too many connections are in use."),
    ]

    static func ok(_ description: String, _ schema: Schema) -> Operation.Answer {
        Operation.Answer(status: .ok, description: description, schema: schema)
    }

    static func text(_ description: String, as mediaType: String) -> Operation.Answer {
        Operation.Answer(status: .ok, description: description, mediaType: mediaType, schema: .string)
    }

    static func error(_ status: HTTPResponse.Status, _ description: String) -> Operation.Answer {
        Operation.Answer(status: status, description: description, schema: .component("Error"))
    }
}

extension Operation.Access {
    fileprivate var answers: [Operation.Answer] {
        switch self {
        case .open: []
        case .limited:
            [
                .error(.tooManyRequests, "The rate limit is exceeded."),
                .error(.serviceUnavailable, "Maintenance is on."),
                .error(.gatewayTimeout, "The request took longer than `requests.timeout`."),
            ]
        case .admin:
            [
                .error(.unauthorized, "There is no token, or it is wrong."),
                .error(.forbidden, "No token is set, so the admin endpoints are closed."),
            ]
        }
    }
}
