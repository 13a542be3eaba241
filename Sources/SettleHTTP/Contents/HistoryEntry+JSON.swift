import Settle

extension HistoryEntry {
    /// The entry without the changes that are out of a client's reach; `nil` if none is left.
    func json(for client: APIClient, in store: SettingsStore) -> SettingValue? {
        let visible = client.reachable(changes, by: \.key, in: store)
        guard !visible.isEmpty || client.reachesEverything else { return nil }
        var json: SettingValue.Entries = [
            "token": .string(token.description), "time": .date(time), "author": .dictionary(author.json),
            "origin": .string(origin.rawValue), "transactions": .integer(Int64(clamping: count)),
            "changes": .array(visible.map { .dictionary($0.json) }), "isKnown": .bool(isKnown),
        ]
        if let undone { json["undone"] = .string(undone.description) }
        return .dictionary(json)
    }

    static let schema = Schema.object(
        [
            "token": .component("Token"), "time": .string, "origin": .oneOf(ValueOrigin.allCases.map(\.rawValue)),
            "author": .object(
                [:], optional: ["name": .string, "program": .string, "process": .integer, "user": .string]),
            "transactions": .integer, "changes": .array(of: .component("Mutation")), "isKnown": .boolean,
        ], optional: ["undone": .component("Token")])
}

extension HistoryChange {
    /// A value that was not stored is absent.
    fileprivate var json: SettingValue.Entries {
        var json: SettingValue.Entries = ["key": .string(key)]
        guard !isSecret else {
            json["isSecret"] = .bool(true)
            return json
        }
        if let oldValue { json["old"] = oldValue }
        if let newValue { json["new"] = newValue }
        return json
    }
}

extension TransactionAuthor {
    fileprivate var json: SettingValue.Entries {
        var json: SettingValue.Entries = [:]
        if let name { json["name"] = .string(name) }
        if let program { json["program"] = .string(program) }
        if let process { json["process"] = .integer(Int64(process)) }
        if let user { json["user"] = .string(user) }
        return json
    }
}
