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
    /// - Returns: Also the written keys of which the application's domain has values too, from before they belonged to
    ///   the secret store.
    func updateSecrets<Result>(
        of source: SecretStoreSource, in domain: AttachedDomain, author: String?, _ body: () throws -> Result
    ) throws -> (Result, exposed: [SettingKey]) {
        try source.exclusively {
            // Others may have written since the last load.
            source.readAgain()
            deliver(.success(source.contents), to: domain)
            let (result, writes) = try collectWrites(in: domain.identity, over: source.contents.tree, body)
            let secrets = try writer.withLock { try texts(of: writes, in: domain.identity) }
            do throws(StorageError) {
                try source.write(secrets)
            } catch {
                // In force is what the secret store has, even where a secret could not be restored.
                deliver(.success(source.contents), to: domain)
                throw SettingsError.secretsNotWritten(domain.name, error)
            }
            writer.lock()
            defer { writer.unlock() }
            try replace(source.contents, in: domain.identity, author: author)
            let own = ownTree()
            let exposed = writes.keys.filter { key in log.lock.withLock { own[log.stored.resolved(key)] != nil } }
            return (result, exposed.sorted())
        }
    }

    /// Returns the texts of secrets, from which their declarations read the values again. Requires the writer's lock.
    private func texts(
        of values: [SettingKey: SettingValue?], in domain: DomainIdentity
    ) throws(SettingsError) -> [SettingKey: String?] {
        var texts: [SettingKey: String?] = [:]
        for (key, value) in values.sorted(by: \.key) {
            do {
                let text = try value?.secretText
                if let text { try checkReading(of: text, at: key, in: domain) }
                texts.updateValue(text, forKey: key)
            } catch {
                throw .encodingFailed(key: key, isSecret: true, error)
            }
        }
        return texts
    }

    private func checkReading(of text: String, at key: SettingKey, in domain: DomainIdentity) throws {
        let box = log.lock.withLock { log.stored.slots[log.stored.resolved(key)]?.box }
        try box?.check(DomainCandidate(domain: domain, key: key, value: .string(text), isText: true))
    }

    /// Removes values that the secret store has now from the application's domain, and reports if that fails.
    func removeFromSettings(_ keys: [SettingKey], author: String?) async {
        guard !keys.isEmpty else { return }
        do {
            try await commit(author: author) {
                for key in keys { try removeValue(forKey: key, author: author) }
            }
        } catch {
            issueBoard.report(.leftInSettings(keys, error))
        }
    }
}

extension SettingValue {
    /// The text of a secret, from which the declaration of its setting reads the value again; `nil` for null.
    fileprivate var secretText: String? {
        get throws(FormatError) {
            switch self {
            case .null: return nil
            case .string(let text): return text
            default:
                let json = try json()
                // Dates and data are strings in JSON.
                if case .string(let text) = try SettingValue(json: json) { return text }
                return String(decoding: json, as: UTF8.self)
            }
        }
    }
}
