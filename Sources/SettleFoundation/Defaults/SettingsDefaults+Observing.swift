#if canImport(ObjectiveC)
    import Foundation
    import Settle

    /// A key that was observed once, with the value that observers have received.
    struct ObservedKey: Sendable {
        var value: SettingValue?
    }

    /// Key-value observing, to the extent that `UserDefaults` supports it: keys without dots. Observers do not receive
    /// the old value.
    extension SettingsDefaults {
        func beginObserving(_ name: String) {
            let value = value(name, .object)
            state.withLock { state in
                if state.observed[name] == nil { state.observed[name] = ObservedKey(value: value) }
            }
        }

        func notifyObservers() {
            for name in state.withLock({ Array($0.observed.keys) }) {
                let value = value(name, .object)
                let isChanged = state.withLock { state in
                    defer { state.observed[name]?.value = value }
                    return state.observed[name]?.value != value
                }
                guard isChanged else { continue }
                willChangeValue(forKey: name)
                didChangeValue(forKey: name)
            }
        }
    }
#endif
