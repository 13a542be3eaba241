#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writing the secret store.
extension StoreCore {
    /// Writes secrets to the secret store, and then puts them in force.
    ///
    /// - Parameter body: Its writes are those of settings that are stored in the secret store.
    /// - Returns: Also the written keys of which the application's domain has, or had, values too, from before they
    ///   belonged to the secret store. The caller makes sure that they are removed from the storage.
    func updateSecrets<Result>(
        of source: SecretStoreSource, in domain: AttachedDomain, author: String?, _ body: () throws -> Result
    ) throws -> (Result, exposed: [SettingKey]) {
        try source.exclusively {
            // Others may have written since the last load.
            source.readAgain()
            deliver(.success(source.contents), to: domain)
            let (result, writes, wroteElsewhere) = try collectWrites(
                in: domain.identity, over: source.contents.tree, body)
            var isStored = false
            defer { if wroteElsewhere, !isStored { issueBoard.report(.partlyUndone) } }
            let secrets = try writer.withLock { try texts(of: writes, in: domain.identity) }
            do throws(StorageError) {
                try source.write(secrets)
            } catch {
                // In force is what the secret store has, even where a secret could not be restored.
                let found = source.read(secrets.keys)
                writer.withLock {
                    source.adopt(found)
                    deliver(.success(source.contents), to: domain)
                }
                throw SettingsError.secretsNotWritten(domain.name, error)
            }
            isStored = true
            let found = source.read(secrets.keys)
            // From here on, because a delivery meanwhile would publish the secrets without the author.
            writer.lock()
            defer { writer.unlock() }
            source.adopt(found, after: secrets)
            let exposed = exposedKeys(among: secrets.keys)
            // The earlier value must not get in force when the secret that covers it is removed. If it can't be removed,
            // the caller's attempt reports the reason.
            for key in exposed where (secrets[key] ?? nil) == nil { try? removeValue(forKey: key, author: author) }
            // Only a closed store throws, and the secrets are stored.
            try? replace(source.contents, in: domain.identity, author: author)
            return (result, exposed)
        }
    }

    /// Returns those of some keys that belong to the secret store and of which the application's domain has values.
    private func exposedKeys(among keys: some Sequence<SettingKey>) -> [SettingKey] {
        let own = ownTree()
        return log.lock.withLock {
            keys.filter { key in
                let place = log.stored.resolved(key)
                return log.stored.slots[place]?.isStoredInSecrets == true && own[place] != nil
            }.sorted()
        }
    }

    /// Returns the texts of secrets, from which their declarations read the values again. Requires the writer's lock.
    private func texts(
        of values: [SettingKey: SettingValue?], in domain: DomainIdentity
    ) throws(SettingsError) -> [SettingKey: String?] {
        var texts: [SettingKey: String?] = [:]
        for (key, value) in values.sorted(by: \.key) {
            do {
                let secret = try value?.textOfSecret
                if let secret { try checkReading(of: secret, at: key, in: domain) }
                texts.updateValue(secret?.text, forKey: key)
            } catch {
                throw .encodingFailed(key: key, isSecret: true, error)
            }
        }
        return texts
    }

    private func checkReading(of secret: TextOfSecret, at key: SettingKey, in domain: DomainIdentity) throws {
        guard let box = log.lock.withLock({ log.stored.slots[log.stored.resolved(key)]?.box }) else { return }
        let candidate = DomainCandidate(domain: domain, key: key, value: .string(secret.text), isText: true)
        guard try box.reads(candidate, as: secret.value) else {
            throw SettingCodingError(expected: "a value that its text stands for", found: "another one")
        }
    }

    /// Removes values that the secret store has now from the application's domain, and reports if that fails.
    func removeFromSettings(_ keys: [SettingKey], author: String?) async {
        guard !keys.isEmpty else { return }
        do {
            // Even if all of them are removed already: then it waits until that is saved.
            try await commit(author: author) {
                for key in exposedKeys(among: keys) { try removeValue(forKey: key, author: author) }
            }
        } catch {
            issueBoard.report(.leftInSettings(keys, error))
        }
    }

    // MARK: Writes elsewhere

    /// Throws if a write by key would store a value of the secret store elsewhere. Its group may not be open any more,
    /// or not yet. Requires a transaction.
    func checkStorage(of value: SettingValue, at key: SettingKey) throws(SettingsError) {
        guard transaction?.target?.domain.holdsSecrets != true else { return }
        let apart = log.lock.withLock { log.stored.keyStoredApart(in: value, at: key) }
        if let apart { throw storedInSecrets(apart) }
    }

    /// Throws if some values include one of the secret store.
    func checkStorage(of tree: SettingTree) throws(SettingsError) {
        let apart = log.lock.withLock { log.stored.keyStoredApart(in: tree) }
        if let apart { throw storedInSecrets(apart) }
    }
}

/// The text of a secret.
private struct TextOfSecret {
    let text: String
    /// The value that the declaration has to read from the text.
    let value: SettingValue
}

extension SettingValue {
    /// The text of a secret; `nil` for null.
    fileprivate var textOfSecret: TextOfSecret? {
        get throws(FormatError) {
            switch self {
            case .null: return nil
            case .string(let text): return TextOfSecret(text: text, value: self)
            default:
                let json = try json()
                let value = try SettingValue(json: json)
                // Dates and data are strings in JSON.
                if case .string(let text) = value { return TextOfSecret(text: text, value: value) }
                return TextOfSecret(text: String(decoding: json, as: UTF8.self), value: value)
            }
        }
    }
}
