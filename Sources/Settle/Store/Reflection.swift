// Without these, `dump` of a group, a store or a sequence would go through all of the store, with the secrets in it.

extension SettingsStore: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: [], ancestorRepresentation: .suppressed) }
}

extension StoreCore: CustomReflectable {
    @usableFromInline
    package var customMirror: Mirror { Mirror(self, children: [], ancestorRepresentation: .suppressed) }
}

extension AnySettingBox: CustomReflectable {
    @usableFromInline
    package var customMirror: Mirror { Mirror(self, children: [], ancestorRepresentation: .suppressed) }
}

extension MutationLog: CustomReflectable {
    @usableFromInline
    package var customMirror: Mirror { Mirror(self, children: [], ancestorRepresentation: .suppressed) }
}
