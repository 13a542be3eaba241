/// Declared settings, listed at run time.
extension SettingsStore {
    /// All settings of the groups that are in use, sorted by key, as they were between two transactions. Inside its own
    /// transaction a thread sees what that has written.
    ///
    /// A store does not keep its groups alive: a group that was opened and let go of is not listed. Nor are keys that are
    /// stored without being declared.
    public var settings: [SettingInfo] {
        look { log in Array(log.slots.values) }.map(SettingInfo.init).sorted { $0.key < $1.key }
    }

    /// The setting that a group in use declares for a key; `nil` if there is none.
    public func setting(forKey key: String) -> SettingInfo? {
        look { log in log.slots[key].map { [$0] } ?? [] }.first.map(SettingInfo.init)
    }

    /// - Parameter choose: The slots to look at. Called under the log's lock.
    private func look(at choose: (MutationLog) -> [SettingSlot]) -> [SeenSetting] {
        // Nobody else has the lock then, so what this thread has staged stands still.
        let transaction = writer.isHeldByCurrentThread ? transaction : nil
        return log.lock.withLock {
            choose(log).compactMap { slot in
                guard slot.declaration != nil, let box = slot.box else { return nil }
                let isStaged = transaction != nil && box.stagedState() != nil
                return SeenSetting(
                    box: box, key: slot.key, access: slot.access,
                    value: transaction == nil ? box.committedValue : box.visibleValue,
                    isStored: isStaged ? box.stagesStoredValue : slot.isStored,
                    origin: isStaged ? transaction?.origin ?? slot.origin : slot.origin)
            }
        }
    }
}

/// A setting as it was at one moment. What needs its coder is made of it later, since that is foreign code.
private struct SeenSetting {
    let box: AnySettingBox
    let key: String
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
            key: seen.key, type: box.spelledType,
            value: isSecret ? nil : try? box.encoder(seen.value),
            defaultValue: isSecret ? nil : try? box.encoder(box.defaultValue),
            rules: box.ruleDescriptions, origin: seen.origin, isDefault: !seen.isStored, isSecret: isSecret,
            access: seen.access)
    }
}
