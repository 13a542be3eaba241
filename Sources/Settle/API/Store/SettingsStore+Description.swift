// The output of `print`, `dump` and the debugger. Without custom mirrors they would traverse the whole store, with the
// secrets.

extension SettingsStore: CustomStringConvertible, CustomReflectable {
    /// The revision, the status of saving, and the keys and values of the declared settings, without secrets: the first
    /// 100 by key.
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

    /// Returns the first declared settings by key, as shown in descriptions, and the number of those left out.
    fileprivate func spelledSettings() -> (settings: [(key: String, value: String)], further: Int) {
        let declared = log.lock.withLock {
            log.stored.slots.all.compactMap { slot in
                slot.declaration == nil ? nil : slot.box.map { (key: slot.key, box: $0) }
            }
        }
        let shown = declared.sorted(by: \.key).prefix(Self.mostSpelled)
        return (shown.map { ($0.key.description, $0.box.spelledValue) }, declared.count - shown.count)
    }
}

/// A string that is shown without quotation marks.
private struct SpelledText: CustomStringConvertible, CustomReflectable {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    var customMirror: Mirror { Mirror(self, children: []) }
}
