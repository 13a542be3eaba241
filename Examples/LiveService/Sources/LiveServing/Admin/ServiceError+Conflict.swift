import Hummingbird
import Settle

extension ServiceError {
    /// What a change builds on has changed, or it is not known whether it has.
    ///
    /// - Parameter now: The newest place.
    init(conflict: CommitConflict?, now: ChangeToken?) {
        var details: SettingValue.Entries = [:]
        if let now { details["token"] = .string(now.description) }
        var reason = "What has changed since the ETag in If-Match is not known any more."
        if let conflict, !conflict.keys.isEmpty {
            details["conflicts"] = .array(conflict.keys.map { .string($0) })
            let keys = conflict.keys.map { "“\($0)”" }.joined(separator: ", ")
            let author = conflict.author?.name.map { ", last by \($0)" } ?? ""
            reason = "What If-Match names has changed since: \(keys)\(author)."
        }
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
