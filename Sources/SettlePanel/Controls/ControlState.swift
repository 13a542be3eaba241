import Settle
import SettleHTTP
import SettleInterchange

/// The store's state of a control's setting at one moment.
struct ControlState: Sendable {
    /// The value that the inputs show: the value in force, or the stored one beneath a value that covers it. `nil` for
    /// a secret.
    let value: SettingValue?
    /// The domain of the value in force.
    let domain: DomainName
    /// The value in force where another domain covers what is stored here.
    let covering: SettingValue?
    let isCovered: Bool
    /// The source that locks it.
    let lock: String?
    /// The stored value, if it is not in force because it can't be used.
    let unusable: UnusableValue?
    /// The change token of the state.
    let token: ChangeToken?

    /// Whether there is a stored value to remove here.
    let isStored: Bool
    /// Whether ``value`` differs from the default.
    let differsFromDefault: Bool

    /// Whether it is shown as changed: not if only a lock has another value, which no user has chosen, and not if a
    /// stored value that another domain covers equals the default.
    var isChanged: Bool { differsFromDefault && (lock == nil || isStored) }

    /// Distinguishes the shown value from others; for a secret, only whether there is one.
    var seen: String { value.map { Fingerprint.of($0.line) } ?? (isSet ? "set" : "") }

    /// Whether some domain has a value.
    var isSet: Bool { domain != .declaration }

    init(of control: Control, in store: SettingsStore) {
        // Read the token before the values, so that it is not newer than they are.
        let token = store.history.token
        if let state = store.state(forKey: control.key.description) {
            self.init(state, of: control, in: store, token)
        } else {
            self.init(store.keys.explanationWithoutPlaces(forKey: control.key), of: control, token)
        }
    }

    private init(_ state: SettingState, of control: Control, in store: SettingsStore, _ token: ChangeToken?) {
        self.token = token
        let isDefault = DomainName.ofDefaults.contains(state.domain)
        // Only where the default may differ from the declaration's.
        let mustExplain =
            state.isCovered || !isDefault && [.registration, .language].contains(where: store.searchesDomain)
        let explanation = mustExplain ? store.keys.explanationWithoutPlaces(forKey: control.key) : nil
        let stored = state.isCovered ? explanation?.storedValue : state.value
        let shown = stored ?? state.value
        isStored = explanation?.hasStoredValue ?? (state.domain == .application)
        differsFromDefault =
            !isDefault && control.isAnother(shown, than: explanation?.defaultValue ?? state.defaultValue)
        (domain, isCovered, lock) = (state.domain, state.isCovered, state.lock)
        // A bundle may ask to hide a value that the declaration does not hide.
        unusable = state.problem.map { UnusableValue(value: control.isSecret ? nil : $0.stored, rule: $0.rule) }
        covering = state.isCovered && !control.isSecret ? state.value : nil
        value = control.isSecret ? nil : shown
    }

    /// Creates the state of a key that no group in this program declares: any stored value can be used.
    private init(_ explanation: Explanation, of control: Control, _ token: ChangeToken?) {
        self.token = token
        let inForce = explanation.answers.first { $0.outcome == .inForce }
        domain = inForce?.domain ?? .declaration
        lock = explanation.answers.first(where: \.locksKey)?.place
        unusable = nil
        let stored = explanation.storedValue
        isStored = explanation.hasStoredValue
        isCovered = stored != nil && domain != .application
        covering = isCovered && !control.isSecret ? explanation.value : nil
        let shown = stored ?? explanation.value
        value = control.isSecret ? nil : shown ?? control.defaultValue
        differsFromDefault =
            !DomainName.ofDefaults.contains(domain)
            && control.isAnother(shown, than: explanation.defaultValue ?? control.defaultValue)
    }
}

/// A stored value that its setting can't have.
struct UnusableValue: Sendable {
    /// `nil` for a secret.
    let value: SettingValue?
    /// The broken rule in the words of the store; `nil` for a value of another type.
    let rule: String?
}

extension DomainName {
    /// The domains with values that neither a user nor an administrator has chosen.
    fileprivate static let ofDefaults: [DomainName] = [.declaration, .registration, .language]
}

extension Explanation {
    /// The value in the application's own domain.
    fileprivate var storedValue: SettingValue? { answers.first { $0.domain == .application }?.value }

    /// Whether the application's own domain has a value, even a secret one.
    fileprivate var hasStoredValue: Bool { answers.contains { $0.domain == .application } }

    /// The value that would be in force if none were set, if known.
    fileprivate var defaultValue: SettingValue? {
        answers.first { DomainName.ofDefaults.contains($0.domain) && $0.outcome != .refused }?.value
    }
}

extension Control {
    /// Returns whether a value differs from another. For secrets that is not revealed, so any value that is set counts
    /// as different.
    fileprivate func isAnother(_ value: SettingValue?, than other: SettingValue?) -> Bool {
        guard !isSecret, let value, let other else { return true }
        return !kind.isSame(other, value)
    }
}
