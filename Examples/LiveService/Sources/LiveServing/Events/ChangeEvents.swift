import Settle

/// What has happened to a store's settings, as server-sent events.
///
/// The file's values and those of other domains are told apart. The former have a history: each `change` has a place in
/// it, from which a client goes on. The latter have none, so `domains` always has all of them, as they are when it is
/// sent. Whichever of the two comes first, a client that puts one over the other ends with the values in force.
struct ChangeEvents: Sendable {
    let store: SettingsStore

    /// A transaction of the file's history.
    func change(_ change: Change) -> ServerSentEvent {
        .event(name: "change", id: change.place, data: SettingValue.dictionary(change.json).jsonText)
    }

    /// What the file has at a change that tells of a hole, to begin from.
    ///
    /// - Parameter isLoss: Whether the client knew an earlier place, so that it has missed changes.
    func snapshot(_ change: Change, isLoss: Bool) -> ServerSentEvent {
        var values: SettingValue.Entries = [:]
        for setting in store.settings where !setting.isSecret {
            values[setting.key] = change.snapshot?[setting.key] ?? setting.defaultValue ?? .null
        }
        let json: SettingValue.Entries = ["missed": .bool(isLoss), "values": .dictionary(values)]
        return .event(name: "snapshot", id: change.place, data: SettingValue.dictionary(json).jsonText)
    }

    /// The settings whose value in force comes from another domain than the file's.
    ///
    /// - Parameter change: The change of another domain that was the reason, if one was.
    func domains(after change: Change? = nil) throws -> ServerSentEvent {
        var json: SettingValue.Entries = ["settings": .array(try Listing(of: store).jsonOfOtherDomains)]
        if let change, !change.mutations.isEmpty { json["change"] = .dictionary(change.json) }
        return .event(name: "domains", id: nil, data: SettingValue.dictionary(json).jsonText)
    }
}

extension Change {
    fileprivate var place: String? { token?.description }

    /// The event's data. Of a secret it says only that it has changed.
    fileprivate var json: SettingValue.Entries {
        var json: SettingValue.Entries = [
            "time": .date(time),
            "origin": .string(origin.rawValue),
            "domain": .string(domain.description),
            "isDurable": .bool(isDurable),
            "changes": .array(mutations.map { .dictionary($0.json) }),
        ]
        if let author { json["author"] = .string(author) }
        // Transactions that were stored together, so that only their sum is known.
        if missed > 0, missed < Self.unknownCount { json["transactions"] = .integer(Int64(missed) + 1) }
        return json
    }
}

extension Mutation {
    fileprivate var json: SettingValue.Entries {
        guard !isSecret else { return ["key": .string(key), "isSecret": .bool(true)] }
        return ["key": .string(key), "old": oldStoredValue ?? .null, "new": newStoredValue ?? .null]
    }
}
