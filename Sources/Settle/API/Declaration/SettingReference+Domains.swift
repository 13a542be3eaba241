/// What the domains of the store's search list have to do with the setting. A draft's settings tell it of the original's.
extension SettingReference {
    /// The domain that the current value comes from; ``DomainName/declaration`` if none has a value.
    public var domain: DomainName {
        let box = box.resolved.followedSource
        let placement = box.placement
        return placement.engine.log.lock.withLock {
            box.held?.domain.name ?? (placement.slot.isStored ? .application : .declaration)
        }
    }

    /// The value that the application's domain has, and that is saved; `nil` if it has none. It is not the current value
    /// while a domain above covers it.
    public var stored: Value? {
        let box = box.resolved.followedSource
        return box.visibleOwn(in: box.placement)?.value
    }

    /// Whether a domain above the application's has a value, so that what is written here is saved but not in force.
    public var isCovered: Bool {
        let box = box.resolved.followedSource
        let placement = box.placement
        return placement.engine.log.lock.withLock { box.held?.domain.isAbove == true }
    }

    /// Whether a domain locks the setting, so that writing it throws.
    public var isLocked: Bool { box.resolved.isLocked }
}
