/// Declared settings, listed at run time.
extension SettingsStore {
    /// All settings of the groups in use, sorted by key, as they were between two transactions. Inside its own
    /// transaction a thread sees what that has written.
    ///
    /// A store does not keep its groups alive: a group is not listed once its last copy is released. Nor are keys that
    /// are stored without being declared.
    public var settings: [SettingInfo] {
        core.look { log in Array(log.stored.slots.all) }.map { SettingInfo($0, core.state(of: $0)) }
            .sorted { $0.key < $1.key }
    }

    /// The setting that a group in use declares for a key.
    fileprivate func setting(at key: SettingKey) -> SettingInfo? {
        core.look(at: key).map { SettingInfo($0, core.state(of: $0)) }
    }

    /// What is in force of the setting that a group in use declares for a key; `nil` if there is none.
    ///
    /// For callers that know the declaration: it leaves out what has to be made anew of the type and its rules.
    package func state(forKey key: String) -> SettingState? {
        core.look(at: SettingKey(stored: key)).map(core.state)
    }
}

extension SettingsStore.Keys {
    /// The setting that a group in use declares for a key; `nil` if there is none.
    public func setting(forKey key: some SettingKeyConvertible) -> SettingInfo? {
        store.setting(at: SettingKey(given: key))
    }
}

extension StoreCore {
    fileprivate func look(at key: SettingKey) -> SeenSetting? {
        look { log in log.stored.slots[log.stored.resolved(key)].map { [$0] } ?? [] }.first
    }

    /// - Parameter choose: The slots to look at. Called under the log's lock.
    fileprivate func look(_ choose: (MutationLog) -> [SettingSlot]) -> [SeenSetting] {
        // This thread then holds the writer's lock, so its staged values don't change.
        let transaction = writer.isHeldByCurrentThread ? transaction : nil
        return log.lock.withLock {
            choose(log).compactMap { slot -> SeenSetting? in
                guard slot.declaration != nil, let box = slot.box else { return nil }
                let staged = transaction == nil ? nil : box.staged
                return SeenSetting(
                    box: box, key: slot.key, access: slot.access,
                    value: transaction == nil ? box.committedValue : box.visibleValue,
                    isStored: staged?.isStored ?? slot.isStored, held: staged.map(\.held) ?? box.held,
                    lock: box.isLayered ? log.stored.domains.lock(on: slot, log.stored.slots) : nil,
                    stored: staged != nil || slot.isDirty ? nil : log.stored.tree[slot.key], lastGood: slot.lastGood,
                    origin: staged != nil ? transaction?.origin ?? slot.origin : slot.origin)
            }
        }
    }

    fileprivate func state(of seen: SeenSetting) -> SettingState {
        SettingState(seen, lock: seen.lock.map(place))
    }
}

/// A setting as of one moment. Whatever needs its coder, which is foreign code, is computed later.
private struct SeenSetting {
    let box: AnySettingBox
    let key: SettingKey
    let access: SettingsAccess
    let value: any Sendable
    let isStored: Bool
    let held: HeldValue?
    let lock: DomainCandidate?
    /// What is stored; `nil` if a newer value waits to be saved.
    let stored: SettingValue?
    let lastGood: SettingValue?
    let origin: ValueOrigin
}

extension SettingState {
    fileprivate init(_ seen: SeenSetting, lock: String?) {
        let box = seen.box
        let isSecret = box.isSecret
        let problem = seen.stored.flatMap { box.problem(with: $0, at: seen.key, lastGood: seen.lastGood) }
        value = isSecret ? nil : try? box.encoder(seen.value)
        defaultValue = isSecret ? nil : box.encodedDefault
        origin = seen.held?.domain.origin ?? seen.origin
        domain = seen.held?.domain.name ?? (seen.isStored ? .application : .declaration)
        isCovered = seen.held?.domain.isAbove == true
        self.lock = lock
        self.problem = problem.map {
            .init(description: $0.description, stored: isSecret ? nil : seen.stored, rule: $0.rule)
        }
    }
}

extension SettingInfo {
    fileprivate init(_ seen: SeenSetting, _ state: SettingState) {
        let declaration = seen.box.declaration
        self.init(
            key: seen.key.description, type: declaration.spelledType, shape: declaration.shape,
            title: declaration.details?.title,
            help: declaration.details?.help, unit: declaration.details?.unit, value: state.value,
            defaultValue: state.defaultValue,
            rules: declaration.ruleDescriptions, origin: state.origin, domain: state.domain, isCovered: state.isCovered,
            lock: state.lock,
            isSecret: declaration.isSecret, access: seen.access, problem: state.problem)
    }
}
