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
            let stored = info.isCovered ? store.explain(control.key).storedValue : info.value
            self.init(info, stored: stored, isSecret: control.isSecret, token)
        } else {
            self.init(store.explain(control.key), of: control, token)
        }
    }

    /// - Parameter isSecret: Whether the control hides the value: a bundle may ask for that where the declaration does not.
    private init(_ info: SettingInfo, stored: SettingValue?, isSecret: Bool, _ token: ChangeToken?) {
        self.token = token
        (domain, isCovered, lock) = (info.domain, info.isCovered, info.lock)
        problem = info.problem.map { isSecret ? Self.hiddenProblem : $0.description }
        covering = info.isCovered && !isSecret ? info.value : nil
        value = isSecret ? nil : stored ?? info.value
    }

    /// In place of a sentence that may spell a secret.
    private static let hiddenProblem = "What is stored can’t be used."

    /// Of a key that no group in this program declares.
    private init(_ explanation: Explanation, of control: Control, _ token: ChangeToken?) {
        self.token = token
        let inForce = explanation.answers.first { $0.outcome == .inForce }
        domain = inForce?.domain ?? .declaration
        lock = explanation.answers.first(where: \.locksKey)?.place
        let problem = explanation.answers.first { $0.problem != nil }?.problem
        self.problem = control.isSecret ? problem.map { _ in Self.hiddenProblem } : problem
        let stored = explanation.storedValue
        isCovered = stored != nil && domain != .application
        covering = isCovered && !control.isSecret ? explanation.value : nil
        value = control.isSecret ? nil : stored ?? explanation.value ?? control.defaultValue
    }
}

extension Explanation {
    /// What the application's own domain has.
    fileprivate var storedValue: SettingValue? { answers.first { $0.domain == .application }?.value }
}
