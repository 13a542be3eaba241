import Settle

/// What has happened to a store's settings, as server-sent events.
///
/// What the file has and what is in force instead are told apart. The former has a history: each `change` has a place
/// in it, from which a client goes on. The latter has none, so `covered` always has all of it, as it is when it is
/// sent. In whichever order the two come, a client that puts one over the other ends with the values in force.
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

    /// The settings of which another value is in force than the file's.
    ///
    /// - Parameter change: The change of another domain that was the reason, if one was.
    func covered(_ settings: [SettingValue], after change: Change? = nil) -> ServerSentEvent {
        var json: SettingValue.Entries = ["settings": .array(settings)]
        if let change, !change.mutations.isEmpty { json["change"] = .dictionary(change.json) }
        return .event(name: "covered", id: nil, data: SettingValue.dictionary(json).jsonText)
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
        if case .changes(let count) = missed { json["transactions"] = .integer(Int64(count) + 1) }
        return json
    }
}

extension Mutation {
    fileprivate var json: SettingValue.Entries {
        guard !isSecret else { return ["key": .string(key), "isSecret": .bool(true)] }
        return ["key": .string(key), "old": oldStoredValue ?? .null, "new": newStoredValue ?? .null]
    }
}
