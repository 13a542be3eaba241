import Settle

extension Change {
    /// A transaction as the data of an event or the line of an audit, without the changes that are out of a client's
    /// reach. Of a secret it says only that it has changed.
    ///
    /// - Returns: `nil` if nothing is within reach.
    func json(for client: APIClient, in store: SettingsStore) -> SettingValue.Entries? {
        let visible = client.reachable(mutations, by: \.key, in: store)
        guard !visible.isEmpty else { return nil }
        var json: SettingValue.Entries = [
            "time": .date(time),
            "origin": .string(origin.rawValue),
            "domain": .string(domain.description),
            "isDurable": .bool(isDurable),
            "changes": .array(visible.map { .dictionary($0.json) }),
        ]
        if let author { json["author"] = .string(author) }
        // Transactions that were stored together, so that only their sum is known.
        if case .changes(let count) = missed {
            json["transactions"] = .integer(Int64(clamping: max(count, count &+ 1)))
        }
        return json
    }

    static let eventSchema = Schema.object(
        [
            "time": .string, "origin": .oneOf(ValueOrigin.allCases.map(\.rawValue)), "domain": .string,
            "isDurable": .boolean, "changes": .array(of: .component("Mutation")),
        ], optional: ["author": .string, "transactions": .integer])
}

extension Mutation {
    fileprivate var json: SettingValue.Entries {
        guard !isSecret else { return ["key": .string(key), "isSecret": .bool(true)] }
        return ["key": .string(key), "old": oldStoredValue ?? .null, "new": newStoredValue ?? .null]
    }

    static let schema = Schema.object(
        ["key": .string], optional: ["old": .any, "new": .any, "isSecret": .boolean])
}
