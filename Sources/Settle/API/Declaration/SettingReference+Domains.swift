extension SettingReference {
    /// The setting's state in the domains of the store's search list.
    public var domains: Domains { Domains(setting: self) }

    /// A setting in the domains of its store's search list. A draft's settings report the state of the original's.
    public struct Domains: Sendable {
        let setting: SettingReference

        /// The domain that the current value comes from; ``DomainName/declaration`` if none has a value.
        public var current: DomainName {
            read { box, slot in box.held?.domain.name ?? (slot.isStored ? .application : .declaration) }
        }

        /// The source of the current value.
        public var origin: ValueOrigin { read { box, slot in box.held?.domain.origin ?? slot.origin } }

        /// The value in the application's domain, which is saved; `nil` if it has none. It is not the current value
        /// while a domain above covers it.
        public var stored: Value? { box.visibleOwn(in: box.placement)?.value }

        /// Whether a domain above the application's has a value, so that a value written here is saved but not in
        /// force.
        public var isCovered: Bool { read { box, _ in box.held?.domain.isAbove == true } }

        /// Whether a domain locks the setting, so that writing it throws.
        public var isLocked: Bool { setting.box.resolved.isLocked }

        private var box: SettingBox<Value> { setting.box.resolved.followedSource }

        /// Reads under the log's lock.
        private func read<Result>(_ body: (SettingBox<Value>, SettingSlot) -> Result) -> Result {
            let box = box
            let placement = box.placement
            box.recordRead()
            return placement.engine.log.lock.withLock { body(box, placement.slot) }
        }
    }
}
