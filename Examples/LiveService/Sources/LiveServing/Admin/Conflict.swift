import Hummingbird
import Settle

/// What a change builds on has changed.
struct Conflict: Error {
    /// The keys that have; `nil` if that can't be told, because the place is not known any more, or never was.
    let keys: [String]?
}

extension ServiceError {
    /// - Parameter now: The newest place.
    init(_ conflict: Conflict, now: ChangeToken?) {
        var details: SettingValue.Entries = [:]
        if let keys = conflict.keys { details["conflicts"] = .array(keys.map { .string($0) }) }
        if let now { details["token"] = .string(now.description) }
        let changed = conflict.keys?.map { "“\($0)”" }.joined(separator: ", ")
        let reason =
            changed.map { "\($0) changed since." }
            ?? "What has changed since the ETag in If-Match is not known any more."
        self.init(
            .preconditionFailed, "\(reason) Nothing is written. Read the settings again.", headers: .tagged(now),
            details: details)
    }
}

extension HTTPFields {
    /// The entity tag of what is read at a place.
    static func tagged(_ token: ChangeToken?) -> HTTPFields {
        token.map { [.eTag: $0.entityTag] } ?? [:]
    }
}
