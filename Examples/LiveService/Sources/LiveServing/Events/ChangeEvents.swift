import Settle

/// The changes of a store as server-sent events.
struct ChangeEvents: Sendable {
    let store: SettingsStore

    /// Where a stream begins.
    struct Start: Sendable {
        /// What is sent first: the listing, for a client from which it is not known what it has seen.
        let snapshot: ServerSentEvent?
        let changes: Changes
        /// The revision that the client has seen then.
        let revision: UInt64
    }

    /// Subscribes where a client has left off, or else from now on, with the listing first.
    ///
    /// - Parameter lastEventID: The id of the last event that the client has seen, which is a revision. One from which the log
    ///   does not hold everything, such as one of another run, and a text that is no revision are treated as none.
    func start(after lastEventID: String?) throws -> Start {
        if let revision = lastEventID.flatMap({ UInt64($0) }), let changes = try? store.changes(since: revision) {
            return Start(snapshot: nil, changes: changes, revision: revision)
        }
        // First the subscription, then the listing: what changes between them is in both, and told once.
        let changes = store.changes
        let listing = try Listing(of: store)
        return Start(snapshot: snapshot(listing), changes: changes, revision: listing.revision)
    }

    /// The event for a change. After changes that the client has missed it is the listing.
    ///
    /// - Parameter seen: The revision that the client has seen; set to the one that it has seen then.
    /// - Returns: `nil` for a change that the client has seen already.
    func event(for change: Change, seen: inout UInt64) throws -> ServerSentEvent? {
        if change.missed > 0 {
            let listing = try Listing(of: store)
            seen = listing.revision
            return snapshot(listing)
        }
        guard change.revision > seen else { return nil }
        seen = change.revision
        return .event(
            name: "change", id: change.revision, data: SettingValue.dictionary(change.json).jsonText)
    }

    private func snapshot(_ listing: Listing) -> ServerSentEvent {
        .event(
            name: "snapshot", id: listing.revision, data: SettingValue.dictionary(listing.json).jsonText)
    }
}

extension Change {
    /// What an event tells about a change. Of a secret it tells only that it has changed.
    var json: SettingValue.Entries {
        var json: SettingValue.Entries = [
            "revision": .integer(Int64(revision)),
            "time": .date(time),
            "origin": .string(origin.rawValue),
            "isDurable": .bool(isDurable),
            "changes": .array(mutations.map { .dictionary($0.json) }),
        ]
        if let author { json["author"] = .string(author) }
        return json
    }
}

extension Mutation {
    fileprivate var json: SettingValue.Entries {
        guard !isSecret else { return ["key": .string(key), "isSecret": .bool(true)] }
        return ["key": .string(key), "old": oldStoredValue ?? .null, "new": newStoredValue ?? .null]
    }
}
