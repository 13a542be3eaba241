import Settle
import SettleInterchange

/// What the store says about a control's setting at one moment.
struct ControlState: Sendable {
    /// What the inputs show: the value in force, or what is stored beneath one that covers it. `nil` for a secret.
    let value: SettingValue?
    /// The domain that the value in force comes from.
    let domain: DomainName
    /// The value in force where another domain covers what is stored here.
    let covering: SettingValue?
    let isCovered: Bool
    /// The place that locks it.
    let lock: String?
    /// Why what is stored is not in force.
    let problem: String?
    /// The place in the history that the state is of.
    let token: ChangeToken?

    /// Tells the shown value from others; `nil` for a secret.
    var fingerprint: String? { value.map { Fingerprint.of($0.line) } }

    /// Whether some domain has a value.
    var isSet: Bool { domain != .declaration }

    /// Whether somebody has decided on the value, a person or an administrator: otherwise it is a default.
    var differsFromDefault: Bool { ![.declaration, .registration, .language].contains(domain) }

    /// Whether there is something to remove here.
    var isStored: Bool { isCovered || domain == .application }

    init(of control: Control, in store: SettingsStore) {
        // Before the values, so that it is not newer than they are.
        let token = store.token
        if let info = store.setting(forKey: control.key.description) {
            self.init(info, stored: info.isCovered ? store.explain(control.key).storedValue : info.value, token)
        } else {
            self.init(store.explain(control.key), of: control, token)
        }
    }

    private init(_ info: SettingInfo, stored: SettingValue?, _ token: ChangeToken?) {
        self.token = token
        (domain, isCovered, lock, problem) = (info.domain, info.isCovered, info.lock, info.problem?.description)
        covering = info.isCovered ? info.value : nil
        value = stored ?? info.value
    }

    /// Of a key that no group in this program declares.
    private init(_ explanation: Explanation, of control: Control, _ token: ChangeToken?) {
        self.token = token
        let inForce = explanation.answers.first { $0.outcome == .inForce }
        domain = inForce?.domain ?? .declaration
        lock = explanation.answers.first(where: \.locksKey)?.place
        problem = explanation.answers.first { $0.problem != nil }?.problem
        let stored = explanation.storedValue
        isCovered = stored != nil && domain != .application
        covering = isCovered ? explanation.value : nil
        value = control.isSecret ? nil : stored ?? explanation.value ?? control.defaultValue
    }
}

extension Explanation {
    /// What the application's own domain has.
    fileprivate var storedValue: SettingValue? { answers.first { $0.domain == .application }?.value }
}
