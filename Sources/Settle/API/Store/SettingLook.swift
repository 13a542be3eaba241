/// A declared setting as of one moment. Parts that need its coder, which is foreign code, are computed later.
struct SettingLook {
    let box: AnySettingBox
    let key: SettingKey
    /// The key in the declaration, where the value has another spelling.
    let declaredKey: SettingKey
    let declaration: String
    let access: SettingsAccess
    let category: SettingsCategory
    let position: DeclarationPosition?
    /// The value in force.
    let value: any Sendable
    /// Whether the application's domain has a usable value.
    let isStored: Bool
    /// Whether the storage does not have the newest value yet.
    let isUnsaved: Bool
    /// The stored value; `nil` if a newer value waits to be saved.
    let stored: SettingValue?
    let lastGood: SettingValue?
    let held: HeldValue?
    let lock: DomainCandidate?
    private let ownOrigin: ValueOrigin

    /// Reads a setting; `nil` if no group declares it. Requires the log's lock.
    ///
    /// - Parameter transaction: The transaction of the calling thread, which then holds the writer's lock, so that its
    ///   staged values don't change.
    init?(at slot: SettingSlot, _ log: MutationLog, in transaction: Transaction?) {
        guard let declaration = slot.declaration, let box = slot.box else { return nil }
        let staged = transaction == nil ? nil : box.staged
        self.box = box
        self.declaration = declaration
        (key, access, category, position) = (slot.key, slot.access, slot.category, slot.position)
        declaredKey = log.stored.slots.declaredKey(of: slot)
        lastGood = slot.lastGood
        value = transaction == nil ? box.committedValue : box.visibleValue
        isStored = staged?.isStored ?? slot.isStored
        isUnsaved = staged != nil || log.unsaved.isUnsaved(slot)
        stored = isUnsaved ? nil : log.stored.tree[slot.key]
        held = staged.map(\.held) ?? box.held
        lock = box.isLayered ? log.stored.domains.lock(on: slot, log.stored.slots) : nil
        ownOrigin = (staged == nil ? nil : transaction?.origin) ?? slot.origin
    }

    var isSecret: Bool { box.isSecret }
    /// The domain that the value in force comes from.
    var domain: DomainName { held?.domain.name ?? (isStored ? .application : .declaration) }
    var origin: ValueOrigin { held?.domain.origin ?? ownOrigin }
    /// The value in force, in stored form; `nil` for a secret, and for a value that can't be encoded.
    var encodedValue: SettingValue? { isSecret ? nil : try? box.encoder(value) }
    /// The reason why the stored value is not in force.
    var problem: SettingsError? { stored.flatMap { box.problem(with: $0, at: key, lastGood: lastGood) } }
}

extension StoreCore {
    /// The transaction whose writes the calling thread sees.
    var ownTransaction: Transaction? { writer.isHeldByCurrentThread ? transaction : nil }

    func look(at key: SettingKey) -> SettingLook? {
        let transaction = ownTransaction
        return log.lock.withLock {
            log.stored.slots[log.stored.resolved(key)].flatMap { SettingLook(at: $0, log, in: transaction) }
        }
    }

    func lookAtAll() -> [SettingLook] {
        let transaction = ownTransaction
        return log.lock.withLock { log.stored.slots.all.compactMap { SettingLook(at: $0, log, in: transaction) } }
    }

    func state(of look: SettingLook) -> SettingState {
        let isSecret = look.isSecret
        return SettingState(
            value: look.encodedValue, defaultValue: isSecret ? nil : look.box.encodedDefault, origin: look.origin,
            domain: look.domain, isCovered: look.held?.domain.isAbove == true, lock: look.lock.map(place),
            problem: look.problem.map {
                .init(description: $0.description, stored: isSecret ? nil : look.stored, rule: $0.rule)
            })
    }

    func info(of look: SettingLook) -> SettingInfo {
        let (declaration, state) = (look.box.declaration, state(of: look))
        let details = declaration.details
        return SettingInfo(
            key: look.key.description, type: declaration.spelledType, shape: declaration.shape, title: details?.title,
            help: details?.help, unit: details?.unit, value: state.value, defaultValue: state.defaultValue,
            rules: declaration.ruleDescriptions, origin: state.origin, domain: state.domain,
            isCovered: state.isCovered, lock: state.lock, isSecret: declaration.isSecret, access: look.access,
            category: look.category, problem: state.problem, declaredKey: look.declaredKey.description,
            position: look.position)
    }
}
