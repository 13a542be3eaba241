package import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A refusal or a failure, as `application/problem+json` (RFC 9457).
struct Problem: Error, Sendable {
    let kind: ProblemKind
    /// The explanation for this request, as a sentence that a user can act on.
    let detail: String
    /// More members of the object.
    var members: SettingValue.Entries = [:]
    var headers: [(name: String, value: String)] = []

    init(_ kind: ProblemKind, _ detail: String) {
        (self.kind, self.detail) = (kind, detail)
    }

    static func unknownSetting(_ key: String) -> Problem {
        var problem = Problem(.unknownSetting, "There is no setting “\(key)”. GET /settings lists all of them.")
        problem.members["key"] = .string(key)
        return problem
    }

    /// The problem of a change whose request was cancelled, because its client has gone or the server stops.
    static var cancelledChange: Problem { Problem(SettingsError.cancelledChange) }

    func response(requestID: String) -> WebResponse {
        var json = members
        json["type"] = .string(kind.type)
        json["title"] = .string(kind.title)
        json["status"] = .integer(Int64(kind.status))
        json["detail"] = .string(detail)
        json["requestId"] = .string(requestID)
        var fields = headers
        fields.append(("Content-Type", "application/problem+json"))
        return WebResponse(kind.status, fields, .bytes(SettingValue.dictionary(json).jsonLine))
    }
}

extension Problem {
    /// The problem of a change that was refused or could not be saved.
    init(_ error: SettingsError) {
        let kind = ProblemKind(error.code)
        // The other errors of this kind leave nothing behind.
        let advice =
            error.code == .storage
            ? "If GET /settings shows the change, it is in effect, and the program keeps trying to save it. " : ""
        self.init(kind, kind == .closing ? "The program is shutting down." : advice + error.description)
        if let key = error.key { members["key"] = .string(key) }
        if let rule = error.rule { members["rule"] = .string(rule) }
        if kind == .notSaved { headers.append(("Retry-After", "5")) }
    }
}

extension SettingsError {
    /// The error of a change whose request was cancelled.
    package static var cancelledChange: SettingsError {
        SettingsError(.commitNotBegun, "The request was cancelled before its commit, and nothing has changed.")
    }

    /// Whether nothing is wrong with the change, so that its answer is 503: the same one may succeed later.
    package var isTemporary: Bool { ProblemKind(code).status == 503 }
}

extension ProblemKind {
    fileprivate init(_ code: SettingsError.Code) {
        switch code {
        case .invalidValue, .unusableValue, .largeValue, .encodingFailed, .missingPart: self = .invalidValue
        case .notUndoable: self = .notUndoable
        case .locked: self = .locked
        case .protected, .secretStore: self = .ownerOnly
        case .historyUnavailable: self = .noHistory
        case .invalidKey, .notASetting, .unknownKey: self = .unknownSetting
        case .tooManyKeys, .tooManyBytes: self = .bodyTooLarge
        case .storage, .commitNotBegun, .tooManyConflicts, .lockTimedOut, .lockLost: self = .notSaved
        case .closed, .released: self = .closing
        default: self = .internalError
        }
    }
}

extension SettingValue {
    /// The value as JSON with a line break at its end, for terminals.
    var jsonLine: [UInt8] { jsonSpelling + [UInt8(ascii: "\n")] }

    /// The value as JSON on one line, with null for the parts that JSON can't spell: a number that is not finite, or
    /// what is nested too deeply. A single setting must not hide the others.
    var jsonText: String { String(decoding: jsonSpelling, as: UTF8.self) }

    private var jsonSpelling: [UInt8] {
        (try? jsonBytes()) ?? (try? spellable(within: Self.depthLimit).jsonBytes()) ?? Array("null".utf8)
    }

    private func spellable(within depth: Int) -> SettingValue {
        switch self {
        case .array(let elements):
            return depth > 0 ? .array(elements.map { $0.spellable(within: depth - 1) }) : .null
        case .dictionary(let entries):
            guard depth > 0 else { return .null }
            var spellable: SettingValue.Entries = [:]
            for (name, entry) in entries { spellable[name] = entry.spellable(within: depth - 1) }
            return .dictionary(spellable)
        default: return (try? json()) == nil ? .null : self
        }
    }
}
