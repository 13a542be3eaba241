/// What the domains of the store's search list have to do with the setting.
extension SettingReference {
    /// The domain that the current value comes from; ``DomainName/declaration`` if none has a value.
    public var domain: DomainName {
        let (placement, box) = (placement, box.resolved)
        return placement.engine.log.lock.withLock {
            box.held?.domain.name ?? (placement.slot.isStored ? .application : .declaration)
        }
    }

    /// The value that the application's domain has, and that is saved; `nil` if it has none. It is not the current value
    /// while a domain above covers it.
    public var stored: Value? { box.resolved.visibleOwn(in: placement)?.value }

    /// Whether a domain above the application's has a value, so that what is written here is saved but not in force.
    public var isCovered: Bool {
        let (placement, box) = (placement, box.resolved)
        return placement.engine.log.lock.withLock { box.held?.domain.isAbove == true }
    }

    /// Whether a domain locks the setting, so that writing it throws.
    public var isLocked: Bool { box.resolved.isLocked }
}
