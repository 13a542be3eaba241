import Settle
import SettleInterchange

/// The changes among which a bisection searches, oldest first, and the settings after each of them.
struct BisectedChanges: Sendable {
    /// A transaction of the history, or a key that is stored.
    struct Change: Sendable {
        /// `nil` if there is no history.
        var entry: HistoryEntry?
        fileprivate let mutations: [StoredMutation]
    }

    let changes: [Change]
    /// The current stored values, with the record beside the settings: a program that opens a copy migrates it no more
    /// than the original.
    private let newest: SettingTree

    /// Reads the transactions in the history, as far as all of them are known.
    ///
    /// A secret, whose earlier values are not in the history, has its present value in all states.
    init(historyOf store: SettingsStore) async throws {
        let (tree, transactions) = try await store.history.stored()
        newest = tree
        changes = transactions.prefix { $0.mutations != nil }.reversed().map { transaction in
            Change(
                entry: transaction.entry, mutations: (transaction.mutations ?? []).filter { !$0.isWithheld })
        }
    }

    /// Creates a change for each stored key, in the order of the keys, starting from nothing.
    init(storing tree: SettingTree, _ declared: DeclaredSettings) {
        newest = tree
        var settings = tree
        _ = MigrationRecord(takenFrom: &settings)
        changes = settings.leaves(within: declared).sorted().map { key in
            Change(mutations: [StoredMutation(key: key, oldValue: nil, newValue: settings[key])])
        }
    }

    /// Returns the settings after the first `count` changes.
    func settings(after count: Int) -> SettingTree {
        changes[count...].reversed().reduce(into: newest) { tree, change in tree.takeBack(change.mutations) }
    }
}

extension BisectedChanges.Change {
    /// Returns the changes, without secrets.
    func differences(hidingSecretsOf declared: DeclaredSettings) -> [HistoryChange] {
        (entry?.changes ?? mutations.map(HistoryChange.init)).map { $0.hidingSecrets(declared) }
    }
}
