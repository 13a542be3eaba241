/// The implementation of ``SettingsStore/settings``.
extension StoreCore {
    var settings: [SettingInfo] {
        look { log in Array(log.slots.all) }.map(SettingInfo.init).sorted { $0.key < $1.key }
    }

    func setting(forKey key: SettingKey) -> SettingInfo? {
        look { log in log.slots[log.resolved(key)].map { [$0] } ?? [] }.first.map(SettingInfo.init)
    }

    /// - Parameter choose: The slots to list. Called under the log's lock.
    private func look(at choose: (MutationLog) -> [SettingSlot]) -> [SeenSetting] {
        // This thread then holds the writer's lock, so its staged values don't change.
        let transaction = writer.isHeldByCurrentThread ? transaction : nil
        return log.lock.withLock {
            choose(log).compactMap { slot in
                guard slot.declaration != nil, let box = slot.box else { return nil }
                let staged = transaction == nil ? nil : box.staged
                return SeenSetting(
                    box: box, key: slot.key, access: slot.access,
                    value: transaction == nil ? box.committedValue : box.visibleValue,
                    isStored: staged?.isStored ?? slot.isStored,
                    origin: staged != nil ? transaction?.origin ?? slot.origin : slot.origin)
            }
        }
    }
}

/// A setting as of one moment. Whatever needs its coder, which is foreign code, is computed later.
private struct SeenSetting {
    let box: AnySettingBox
    let key: SettingKey
    let access: SettingsAccess
    let value: any Sendable
    let isStored: Bool
    let origin: Origin
}

extension SettingInfo {
    fileprivate init(_ seen: SeenSetting) {
        let box = seen.box
        let isSecret = box.isSecret
        self.init(
            key: seen.key.description, type: box.spelledType,
            value: isSecret ? nil : try? box.encoder(seen.value),
            defaultValue: isSecret ? nil : try? box.encoder(box.erasedDefault),
            rules: box.ruleDescriptions, origin: seen.origin, isDefault: !seen.isStored, isSecret: isSecret,
            access: seen.access)
    }
}
