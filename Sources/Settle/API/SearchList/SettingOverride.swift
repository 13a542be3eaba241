/// A value that code has put over a setting. It ends with ``cancel()``, or when the last reference to it is released.
public final class SettingOverride: Sendable {
    private let end: LockedValue<(@Sendable () -> Void)?>

    init(end: @escaping @Sendable () -> Void) {
        self.end = LockedValue(end)
    }

    deinit { cancel() }

    /// Ends the override: the newest of the setting's remaining overrides is then in force, or else the next domain's
    /// value. Cancelling again does nothing. Within a transaction of the store it takes effect at its end.
    public func cancel() {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}

extension SettingsStore.Domains {
    /// Puts a value over a setting, for tests, previews and remote switches. It is not saved, so that of a secret is in
    /// memory only, too.
    ///
    /// ```swift
    /// let dark = try store.domains.override(settings.$theme, with: .dark)   // until dark.cancel(), or its release
    /// ```
    ///
    /// If a setting has several overrides, the last one is in force. The store must search ``DomainName/overrides``.
    ///
    /// - Returns: The override, which ends when it is released; keep it as long as you want it in force.
    /// - Throws: ``SettingsError`` if the value breaks the setting's rule or can't be encoded, if the setting belongs
    ///   to another store or is owner-only, if the store does not search the overrides or is closed, or within a
    ///   transaction of the store.
    public func override<Value>(
        _ setting: SettingReference<Value>, with value: Value, author: String? = nil
    ) throws -> SettingOverride {
        let core = try store.open(key: setting.key)
        let domain = try core.domainToChange(.overrides)
        let key = try core.keyToOverride(setting)
        let encoded: SettingValue
        do {
            let definition = setting.box.resolved.definition
            try definition.checkStorable(value, key: key)
            encoded = try definition.codec.encode(value)
            let candidate = DomainCandidate(domain: domain.identity, key: key, value: encoded, isText: false)
            try setting.box.resolved.check(candidate)
        } catch let error as SettingsError {
            throw error
        } catch {
            throw SettingsError.encodingFailed(key: key, isSecret: setting.box.isSecret, error)
        }
        let number = try core.addOverride(encoded, forKey: key, in: domain, author: author)
        return SettingOverride { [weak core] in core?.endOverride(number, forKey: key, in: domain) }
    }
}

extension StoreCore {
    fileprivate func keyToOverride<Value>(_ setting: SettingReference<Value>) throws(SettingsError) -> SettingKey {
        let placement = setting.placement
        guard placement.engine === self else { throw .otherStore(key: placement.slot.key) }
        let key = log.lock.withLock { log.stored.slots.declaredKey(of: placement.slot) }
        guard placement.slot.access != .owner else {
            throw .protected(key, by: key, placement.slot.declaration ?? "")
        }
        return key
    }

    fileprivate func addOverride(
        _ value: SettingValue, forKey key: SettingKey, in domain: AttachedDomain, author: String?
    ) throws -> UInt64 {
        writer.lock()
        defer { writer.unlock() }
        let number = overrides.add(value, forKey: key)
        do {
            try set([key: value], in: domain.identity, author: author)
        } catch {
            _ = overrides.remove(number, forKey: key)
            throw error
        }
        return number
    }

    fileprivate func endOverride(_ number: UInt64, forKey key: SettingKey, in domain: AttachedDomain) {
        writer.lock()
        defer { writer.unlock() }
        writer.afterUnlock { [self] in
            writer.lock()
            defer { writer.unlock() }
            guard overrides.remove(number, forKey: key) else { return }
            // Only a closed store throws.
            try? set([key: overrides[key]], in: domain.identity)
        }
    }
}
