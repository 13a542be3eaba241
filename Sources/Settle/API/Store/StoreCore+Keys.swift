/// The implementation of ``SettingsStore/Keys/value(forKey:as:)`` and its siblings.
extension StoreCore {
    @usableFromInline
    func converted<Value: Codable & Sendable>(_ key: SettingKey, to type: Value.Type) throws -> Value? {
        let place = log.lock.withLock { log.stored.resolved(key) }
        let found = lookUp(place)
        if let box = found.box {
            let value = box.visibleValue
            if let value = value as? Value { return value }
            return try convert(try box.encoder(value), key: place, to: type)
        }
        let (effective, isText) = try effectiveValue(at: key, own: found.found(at: place))
        return try effective.map { try convert($0, key: key, isText: isText, to: type) } ?? nil
    }

    /// Returns the value in force for a key without a declaration.
    ///
    /// - Parameter own: The value that the application's domain has at the resolved key.
    /// - Returns: The value, and whether it is text without a type.
    func effectiveValue(at key: SettingKey, own: FoundValue) -> (SettingValue?, isText: Bool) {
        log.lock.withLock {
            let domains = log.stored.domains
            // Otherwise each domain is asked.
            guard !domains.isKnownToLack(key) else { return (own.value, false) }
            let sources = domains.sources(of: key, own: own)
            return (sources.joined, sources.first?.candidate?.isText == true)
        }
    }

    func setValue<Value: Codable & Sendable>(_ value: Value, forKey key: SettingKey, author: String?) throws {
        let key = try resolve(key, of: "setValue(_:forKey:)")
        let encoded: SettingValue
        do {
            encoded = try SettingCodec<Value>.standard.encode(value)
        } catch {
            throw SettingsError.encodingFailed(
                key: key, isSecret: Value.self is any SecretValue.Type || isSecret(key), error)
        }
        try write(encoded, given: value, forKey: key, author: author)
    }

    func setValue(_ value: SettingValue, forKey key: SettingKey, author: String?) throws {
        let key = try resolve(key, of: "setValue(_:forKey:)")
        try write(value, given: value, forKey: key, author: author)
    }

    private func write(
        _ encoded: SettingValue, given value: any Sendable, forKey key: SettingKey, author: String?
    ) throws {
        do {
            try persister.storage.check(encoded, at: key)
        } catch {
            throw SettingsError.encodingFailed(
                key: key, isSecret: value is any SecretValue || isSecret(key), error)
        }
        try transact(origin: .local, author: author) {
            // The key's group may have been opened in the meantime.
            try stage(encoded, given: value, at: log.lock.withLock { log.stored.resolved(key) })
        }
        reportSize(of: encoded, at: key)
    }

    /// Stages the new value of a key. Requires a transaction.
    func stage(_ encoded: SettingValue, given value: any Sendable, at key: SettingKey) throws {
        try checkStorage(of: encoded, at: key)
        var (key, encoded) = (key, encoded)
        if let box = unsavedBox(forKey: key) { return try box.stage(decoding: encoded) }
        if let outer = scalar(around: key), let rest = outer.rest(of: key) {
            var tree = SettingTree()
            tree[rest] = encoded
            (key, encoded) = (outer, .dictionary(tree.root))
        }
        let (box, inner) = try box(forKey: key)
        do {
            try box.stage(decoding: encoded)
            for box in inner { box.stageReplaced() }
        } catch {
            throw refusal(of: value, encoded, forKey: key, by: box, error)
        }
    }

    /// Returns the reason why a value was not written, without the value if it or the setting is a secret.
    private func refusal(
        of value: any Sendable, _ encoded: SettingValue, forKey key: SettingKey, by box: AnySettingBox,
        _ error: any Error
    ) -> SettingsError {
        if let error = error as? SettingsError, error.code == .secretStore { return error }
        if box.isSecret || value is any SecretValue {
            return .refusedSecret(key: key, type: box.declaration.spelledType, rule: box.brokenRule(error))
        }
        return (error as? SettingsError)
            ?? .wrongType(key: key, given: value, stored: Redacted(encoded, isSecret: box.isSecret), error)
    }

    func removeValue(forKey key: SettingKey, author: String?) throws {
        let key = try resolve(key, of: "removeValue(forKey:)")
        try transact(origin: .reset, author: author) {
            try stageRemoval(of: log.lock.withLock { log.stored.resolved(key) })
        }
    }

    /// Removes the value that is stored at exactly this key, where another value may be stored under a name with dots.
    /// A declared setting has one key, which every spelling means.
    func removeValue(storedAt key: SettingKey, author: String?) throws {
        try key.check(for: "removeValue(forKey:)")
        try transact(origin: .reset, author: author) {
            try stageRemoval(of: log.lock.withLock { log.stored.slots.place(of: key) ?? key })
        }
    }

    /// Writes a value in stored form, or removes the stored value.
    func change(_ key: SettingKey, to value: SettingValue?, author: String?) throws {
        guard let value else { return try removeValue(forKey: key, author: author) }
        try setValue(value, forKey: key, author: author)
    }

    private func resolve(_ key: SettingKey, of name: String) throws(SettingsError) -> SettingKey {
        try key.check(for: name)
        return log.lock.withLock { log.stored.resolved(key) }
    }

    /// The setting and the values that the store has for a key.
    struct FoundKey {
        /// The declared setting of the key.
        var box: AnySettingBox?
        var stored = FoundValue.nothing
        var unsaved: [UnsavedValue] = []

        /// Returns the value at the key, including unsaved writes at, around and within it.
        func stored(at key: SettingKey) throws -> SettingValue? { try found(at: key).value }

        /// Returns the same value, or the value that stands in its way.
        func found(at key: SettingKey) throws -> FoundValue {
            guard let first = unsaved.first else { return stored }
            if unsaved.count == 1, first.key == key { return FoundValue(try first.encoded()) }
            var tree = SettingTree()
            tree[key] = stored.value
            for value in unsaved { tree[value.key] = try value.encoded() }
            return tree.find(key)
        }
    }

    /// - Parameter isCommitted: Whether to leave out writes of the transaction in progress.
    func lookUp(_ key: SettingKey, isCommitted: Bool = false) -> FoundKey {
        recordRead(of: key)
        // Inside its own transaction a thread sees the transaction's writes.
        let isInTransaction = !isCommitted && isInTransaction
        return log.lock.withLock {
            guard !log.stored.slots.isEmpty else { return FoundKey(stored: log.stored.tree.find(key)) }
            if let slot = log.stored.slots[key], slot.declaration != nil { return FoundKey(box: slot.box) }
            return FoundKey(
                stored: log.stored.tree.find(key), unsaved: log.unsavedValues(at: key, inTransaction: isInTransaction))
        }
    }

    /// Converts a value to a type. An explicit null is not a value, whatever the type.
    private func convert<Value: Codable & Sendable>(
        _ stored: SettingValue, key: SettingKey, isText: Bool = false, to type: Value.Type
    ) throws -> Value? {
        do {
            if isText { return try TextCandidates.decode(stored, with: SettingCodec<Value?>.standard) { _ in } }
            return try SettingCodec<Value?>.standard.decode(stored)
        } catch {
            let isSecret = Value.self is any SecretValue.Type || isSecret(key)
            throw SettingsError.notConvertible(
                key: key, stored: Redacted(stored, isSecret: isSecret), to: Value.self, error)
        }
    }
}
