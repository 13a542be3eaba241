extension SettingsStore {
    /// Returns the keys that the transactions of the history have changed since a token, up to now.
    ///
    /// - Returns: `nil` if they are not known: the token belongs to another history, or is forgotten, or the history
    ///   can't be read.
    package func keysStored(after token: ChangeToken) async -> Set<SettingKey>? {
        try? await core.persister.perform { (persister) throws(SettingsError) in
            guard !persister.isClosed else { throw .closed(key: nil) }
            // Merge the transactions that others have appended by now.
            await persister.deliver()
            var keys: Set<SettingKey> = []
            for (place, transaction) in try await persister.history.everything(after: token) {
                guard let mutations = transaction.mutations else { throw .unknownChanges(at: place) }
                keys.formUnion(mutations.map(\.key))
            }
            return keys
        }
    }
}
