import Settle

/// The changes of a store as server-sent events.
struct ChangeEvents: Sendable {
    let store: SettingsStore

    /// The start of a stream.
    struct Start: Sendable {
        /// Sent first: the listing, for a client whose last revision is unknown.
        let snapshot: ServerSentEvent?
        let changes: Changes
        /// The revision that the client has seen after that.
        let revision: UInt64
    }

    /// Subscribes from where a client left off, or else from now on with the listing first.
    ///
    /// - Parameter lastEventID: The id of the last event that the client has seen, which is a revision. A revision that
    /// the log no longer covers, one of another run, and any other text are ignored.
    func start(after lastEventID: String?) throws -> Start {
        if let revision = lastEventID.flatMap({ UInt64($0) }), let changes = try? store.changes(since: revision) {
            return Start(snapshot: nil, changes: changes, revision: revision)
        }
        // The subscription comes before the listing: a change in between is in both, and sent once.
        let changes = store.changes
        let listing = try Listing(of: store)
        return Start(snapshot: snapshot(listing), changes: changes, revision: listing.revision)
    }

    /// The event for a change, or the listing if the client has missed changes.
    ///
    /// - Parameter seen: The revision that the client has seen; updated to the event's.
    /// - Returns: `nil` for a change that the client has already seen.
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
    /// The event's data. Of a secret it says only that it has changed.
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
