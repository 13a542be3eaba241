// What `print`, `dump` and the debugger show. Without mirrors of their own they would go through all of the store, with the secrets.

extension SettingsStore: CustomStringConvertible, CustomReflectable {
    /// The revision, how far saving has come, and the keys and values of the settings that groups declare, without secrets: the
    /// first 100 of them by their keys.
    public var description: String {
        let (settings, further) = core.spelledSettings()
        let list = settings.map { "\($0.key): \($0.value)" } + (further > 0 ? ["and \(further) more"] : [])
        return "SettingsStore(revision: \(revision), status: \(status), settings: [\(list.joined(separator: ", "))])"
    }

    public var customMirror: Mirror {
        let (settings, further) = core.spelledSettings()
        var children: [Mirror.Child] = [("revision", revision), ("status", SpelledText("\(status)"))]
        children += settings.map { ($0.key, SpelledText($0.value)) }
        if further > 0 { children.append(("further", further)) }
        return Mirror(self, children: children, displayStyle: .class, ancestorRepresentation: .suppressed)
    }
}

extension StoreCore {
    private static let mostSpelled = 100

    /// The first declared settings by their keys, as descriptions show them, and how many more there are.
    fileprivate func spelledSettings() -> (settings: [(key: String, value: String)], further: Int) {
        let slots = log.lock.withLock { log.slots.all.filter { $0.declaration != nil } }
        let shown = slots.sorted { $0.key < $1.key }.prefix(Self.mostSpelled)
        let settings = shown.compactMap { slot in slot.box.map { (slot.key.description, $0.spelledValue) } }
        return (settings, slots.count - shown.count)
    }
}

/// A text that stands for itself, without quotation marks.
private struct SpelledText: CustomStringConvertible, CustomReflectable {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    var customMirror: Mirror { Mirror(self, children: []) }
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
