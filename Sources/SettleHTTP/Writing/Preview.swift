import Settle

/// The effect that a change would have: the answer to a dry run.
struct Preview: Sendable {
    private let token: ChangeToken?
    private let author: String
    private let mutations: [SettingValue]
    /// The keys that would be saved without being in force.
    private let covered: [String]

    /// Makes the changes in a transaction that is undone.
    init(
        of plan: WritePlan, if precondition: Precondition, base: [String]?, contents: () throws -> [UInt8],
        by author: String, in store: SettingsStore
    ) async throws {
        self.author = author
        (token, mutations, covered) = try await store.trying(if: precondition, of: base, contents: contents) {
            let token = store.history.token
            let old = Self.settings(plan.keys, in: store)
            try plan.apply(to: store)
            let new = Self.settings(plan.keys, in: store)
            let covered = new.filter(\.isCovered).map(\.key)
            return (token, zip(old, new).compactMap { Self.mutation($0, $1) }, covered)
        }
    }

    var json: SettingValue.Entries {
        var json: SettingValue.Entries = [
            "dryRun": .bool(true), "author": .string(author), "changes": .array(mutations),
            "covered": .array(covered.map { .string($0) }),
        ]
        if let token { json["token"] = .string(token.description) }
        return json
    }

    static let schema = Schema.object(
        [
            "dryRun": .boolean, "author": .string, "changes": .array(of: .component("Mutation")),
            "covered": .array(of: .string),
        ], optional: ["token": .component("Token")])

    private static func settings(_ keys: [String], in store: SettingsStore) -> [SettingInfo] {
        keys.compactMap { store.keys.setting(forKey: $0) }
    }

    /// A written secret always counts as changed: otherwise its value could be guessed.
    private static func mutation(_ old: SettingInfo, _ new: SettingInfo) -> SettingValue? {
        guard !old.isSecret else { return .dictionary(["key": .string(old.key), "isSecret": .bool(true)]) }
        guard old.value != new.value else { return nil }
        return .dictionary(["key": .string(old.key), "old": old.value ?? .null, "new": new.value ?? .null])
    }
}
