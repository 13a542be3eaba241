/// What is asked of the readable file.
extension Persister {
    /// Saves everything that has been published so far, and brings the storage's resting form up to date.
    ///
    /// - Throws: Also if the storage is not at rest afterwards.
    nonisolated func flushToFile() async throws {
        try await flush()
        try await writeFile()
    }

    private func writeFile() async throws {
        // In the middle of a transaction elsewhere, the file would get a part of it.
        while visitors > 0 { await withUnsafeContinuation { visitorsLeft.append($0) } }
        guard !isClosed else { throw SettingsError.closed(key: nil) }
        try unlockStorage()
        guard try checkpoint(at: .requested) else { throw SettingsError.fileIsBehind }
    }

    /// Everything that is stored or to be stored, as it is at one moment.
    ///
    /// - Throws: ``SettingsError`` that names each key whose value can't be encoded.
    func everything() throws(SettingsError) -> SettingTree {
        // Values are taken for saving on this queue, so each is either in the tree or still waits to be taken.
        let (stored, unsaved) = log.lock.withLock { (log.tree, log.unsavedValues) }
        var tree = stored
        var problems: [SettingsError] = []
        for value in unsaved {
            do {
                tree[value.slot.key] = try value.encoded()
            } catch {
                problems.append(.encodingFailed(key: value.slot.key, isSecret: value.slot.isSecret, error))
            }
        }
        if !problems.isEmpty { throw .several(.encodingFailed, "Not everything can be exported.", problems) }
        return tree
    }
}

extension MutationLog {
    /// What waits to be taken for saving, or to become encodable. Under the lock.
    fileprivate var unsavedValues: [Unsaved] {
        (unencodable + dirty.filter(\.slot.isDirty)).sorted { $0.slot.key < $1.slot.key }.map { slot, box in
            Unsaved(slot: slot, box: box, value: slot.isStored ? box.committedValue : nil)
        }
    }
}
