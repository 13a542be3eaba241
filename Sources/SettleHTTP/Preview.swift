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
            let old = Self.states(of: plan.keys, in: store)
            try plan.apply(to: store)
            let new = Self.states(of: plan.keys, in: store)
            let covered = new.filter(\.info.isCovered).map(\.info.key)
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

    private struct State {
        let info: SettingInfo
        /// Only for comparing: it is shown nowhere.
        let secret: SettingValue?
    }

    private static func states(of keys: [String], in store: SettingsStore) -> [State] {
        keys.compactMap { store.keys.setting(forKey: $0) }.map { info in
            State(info: info, secret: info.isSecret ? store.keys[info.key] : nil)
        }
    }

    private static func mutation(_ old: State, _ new: State) -> SettingValue? {
        if old.info.isSecret {
            guard old.secret != new.secret else { return nil }
            return .dictionary(["key": .string(old.info.key), "isSecret": .bool(true)])
        }
        guard old.info.value != new.info.value else { return nil }
        return .dictionary([
            "key": .string(old.info.key), "old": old.info.value ?? .null, "new": new.info.value ?? .null,
        ])
    }
}
