import Settle

/// What is stored after a position.
struct StoredEntries {
    let newest: Int64
    let isEverything: Bool
    let entries: [SettingsTables.Entry]
    /// The batches of unknown outcome that were stored, by position, whether or not they still have entries.
    let resolved: [Int64: StorageBatch.ID]

    /// Returns the changes by others, and the batches of unknown outcome that were stored, oldest first.
    ///
    /// - Parameters:
    ///   - stores: The stores that append here. They know their own batches.
    ///   - unknown: Those of their batches of which they don't know whether they were stored.
    func changes(stores: Set<UInt64>, unknown: Set<StorageBatch.ID>) -> [ExternalChange] {
        let batches = Dictionary(grouping: entries, by: \.position)
        var changes: [ExternalChange] = []
        for position in Set(batches.keys).union(resolved.keys).sorted() {
            let entries = batches[position] ?? []
            let id = resolved[position] ?? entries.first { unknown.contains($0.batch) }?.batch
            let isReported = { (entry: SettingsTables.Entry) in id != nil || !stores.contains(entry.batch.store) }
            let own = entries.filter { !isReported($0) }
            if !own.isEmpty {
                // What the store itself has written later is newer than the changes before.
                for index in changes.indices { changes[index].overwrite(own.values) }
            }
            let reported = entries.filter(isReported)
            guard !reported.isEmpty || id != nil else { continue }
            changes.append(ExternalChange(.values(reported.values), author: reported.first?.author, batch: id))
        }
        changes.removeAll { $0.content == .values([:]) && $0.batch == nil }
        return changes
    }
}
