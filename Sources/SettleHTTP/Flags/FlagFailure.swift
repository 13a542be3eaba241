import Settle

/// A failed evaluation, as the OpenFeature Remote Evaluation Protocol has it.
struct FlagFailure: Error, Sendable {
    /// The protocol's codes that an evaluation can have. Clients compare them.
    enum Code: String, Sendable, CaseIterable {
        case parseError = "PARSE_ERROR"
        case invalidContext = "INVALID_CONTEXT"
        case flagNotFound = "FLAG_NOT_FOUND"
        case general = "GENERAL"
    }

    let code: Code
    /// The explanation, as a sentence. Clients show it in their logs.
    let detail: String
    /// The key of the flag; `nil` if all flags were asked for.
    let key: String?

    init(_ code: Code, _ detail: String, key: String?) {
        (self.code, self.detail, self.key) = (code, detail, key)
    }

    static func notFound(_ key: String) -> FlagFailure {
        FlagFailure(
            .flagNotFound,
            "There is no flag “\(key)”. Settings are flags unless they are lists, secrets or only the program's.",
            key: key)
    }

    var json: SettingValue.Entries {
        var json: SettingValue.Entries = ["errorCode": .string(code.rawValue), "errorDetails": .string(detail)]
        if let key { json["key"] = .string(key) }
        return json
    }

    var response: WebResponse { .json(json, status: code == .flagNotFound ? 404 : 400) }

    static let schema = Schema.object(
        ["key": .string, "errorCode": .oneOf(Code.allCases.map(\.rawValue)), "errorDetails": .string])

    /// The schema of a failure that is not about one flag.
    static let schemaWithoutKey = Schema.object(
        ["errorCode": .oneOf(Code.allCases.map(\.rawValue)), "errorDetails": .string])
}
