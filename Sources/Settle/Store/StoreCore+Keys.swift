/// What stands behind ``SettingsStore/value(forKey:as:)`` and its siblings.
extension StoreCore {
    @usableFromInline
    func converted<Value: Codable & Sendable>(_ key: SettingKey, to type: Value.Type) throws -> Value? {
        let key = log.lock.withLock { log.resolved(key) }
        let found = lookUp(key)
        if let box = found.box {
            let value = box.visibleValue
            if let value = value as? Value { return value }
            return try convert(try box.encoder(value), key: key, to: type)
        }
        return try found.stored(at: key).map { try convert($0, key: key, to: type) } ?? nil
    }

    func setValue<Value: Codable & Sendable>(_ value: Value, forKey key: SettingKey, by writer: String?) throws {
        let key = try resolve(key, of: "setValue(_:forKey:)")
        let encoded: SettingValue
        do {
            encoded = try SettingCodec<Value>.standard.encode(value)
        } catch {
            throw SettingsError.encodingFailed(
                key: key, isSecret: Value.self is any SecretValue.Type || isSecret(key), error)
        }
        try write(encoded, given: value, forKey: key, by: writer)
    }

    func setValue(_ value: SettingValue, forKey key: SettingKey, by writer: String?) throws {
        let key = try resolve(key, of: "setValue(_:forKey:)")
        try write(value, given: value, forKey: key, by: writer)
    }

    private func write(
        _ encoded: SettingValue, given value: any Sendable, forKey key: SettingKey, by writer: String?
    ) throws {
        do {
            try persister?.storage.check(encoded, at: key)
        } catch {
            throw SettingsError.encodingFailed(
                key: key, isSecret: value is any SecretValue || isSecret(key), error)
        }
        try transact(origin: .local, writer: writer) {
            // Its group may have been opened meanwhile.
            let key = log.lock.withLock { log.resolved(key) }
            let box = try box(forKey: key)
            do {
                try box.stage(decoding: encoded)
            } catch {
                throw refusal(of: value, encoded, forKey: key, by: box, error)
            }
        }
    }

    /// Why a value was not written, without the value if it or the setting is a secret.
    private func refusal(
        of value: any Sendable, _ encoded: SettingValue, forKey key: SettingKey, by box: AnySettingBox,
        _ error: any Error
    ) -> SettingsError {
        if box.isSecret || value is any SecretValue {
            return .refusedSecret(key: key, type: box.spelledType, rule: box.brokenRule(error))
        }
        return (error as? SettingsError) ?? .wrongType(key: key, given: value, stored: encoded, error)
    }

    func removeValue(forKey key: SettingKey, by writer: String?) throws {
        let key = try resolve(key, of: "removeValue(forKey:)")
        try transact(origin: .reset, writer: writer) {
            try box(forKey: log.lock.withLock { log.resolved(key) }).stageDefault()
        }
    }

    private func resolve(_ key: SettingKey, of name: String) throws(SettingsError) -> SettingKey {
        try Self.checkKey(key, of: name)
        return log.lock.withLock { log.resolved(key) }
    }

    /// What is known of a key.
    private struct Found {
        /// The key's own setting.
        var box: AnySettingBox?
        var stored: SettingValue?
        /// The settings around and within the key that may have other values than the stored ones.
        var newer: [(key: SettingKey, box: AnySettingBox, isStored: Bool)] = []

        /// The value at the key, with what was written around and within it.
        func stored(at key: SettingKey) throws -> SettingValue? {
            guard !newer.isEmpty else { return stored }
            var tree = SettingTree()
            tree[key] = stored
            for (key, box, isStored) in newer.sorted(by: { $0.key < $1.key }) {
                tree[key] = isStored ? try box.encoder(box.visibleValue) : nil
            }
            return tree[key]
        }
    }

    /// Whether a value is stored for a setting, as the thread sees it that has this transaction, if it has one.
    func isStored(_ slot: SettingSlot, in transaction: Transaction?) -> Bool {
        guard transaction != nil, let staged = slot.box?.staged else { return slot.isStored }
        return staged.isStored
    }

    private func lookUp(_ key: SettingKey) -> Found {
        // Inside its own transaction a thread sees what that has written.
        let transaction = writer.isHeldByCurrentThread ? transaction : nil
        return log.lock.withLock {
            guard !log.slots.isEmpty else { return Found(stored: log.tree[key]) }
            if let slot = log.slots[key] {
                return Found(box: slot.declaration != nil || isStored(slot, in: transaction) ? slot.box : nil)
            }
            var found = Found(stored: log.tree[key])
            for slot in log.slots.within(key) + [log.slots.around(key)].compactMap({ $0 }) {
                guard let box = slot.box else { continue }
                if transaction != nil, let staged = box.staged {
                    found.newer.append((slot.key, box, staged.isStored))
                } else if log.isUnsaved(slot) || slot.schedule == nil && slot.isStored {
                    // What has been taken for saving is in the tree only once it is encoded.
                    found.newer.append((slot.key, box, slot.isStored))
                }
            }
            return found
        }
    }

    /// An explicit null is no value, whatever the type.
    private func convert<Value: Codable & Sendable>(
        _ stored: SettingValue, key: SettingKey, to type: Value.Type
    ) throws -> Value? {
        do {
            return try SettingCodec<Value?>.standard.decode(stored)
        } catch {
            let isSecret = Value.self is any SecretValue.Type || isSecret(key)
            throw SettingsError.notConvertible(key: key, stored: isSecret ? nil : stored, to: Value.self, error)
        }
    }
}
