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

    /// Whether there is something to remove here.
    let isStored: Bool
    /// Whether the value in force is another than there would be without anybody's decision.
    let differsFromDefault: Bool

    /// Tells the shown value from others; of a secret, only whether there is one.
    var seen: String { value.map { Fingerprint.of($0.line) } ?? (isSet ? "set" : "") }

    /// Whether some domain has a value.
    var isSet: Bool { domain != .declaration }

    init(of control: Control, in store: SettingsStore) {
        // Before the values, so that it is not newer than they are.
        let token = store.token
        if let info = store.setting(forKey: control.key.description) {
            self.init(info, of: control, in: store, token)
        } else {
            self.init(store.explain(control.key), of: control, token)
        }
    }

    private init(_ info: SettingInfo, of control: Control, in store: SettingsStore, _ token: ChangeToken?) {
        self.token = token
        let isDefault = DomainName.ofDefaults.contains(info.domain)
        let explanation = info.isCovered || !isDefault ? store.explain(control.key) : nil
        let stored = info.isCovered ? explanation?.storedValue : info.value
        isStored = explanation?.hasStoredValue ?? false
        differsFromDefault = !isDefault && explanation?.isDefault(info.value, of: control) != true
        (domain, isCovered, lock) = (info.domain, info.isCovered, info.lock)
        // A bundle may ask to hide what the declaration does not.
        problem = info.problem.map { control.isSecret ? Self.hiddenProblem : $0.description }
        covering = info.isCovered && !control.isSecret ? info.value : nil
        value = control.isSecret ? nil : stored ?? info.value
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
        isStored = explanation.hasStoredValue
        isCovered = stored != nil && domain != .application
        covering = isCovered && !control.isSecret ? explanation.value : nil
        value = control.isSecret ? nil : stored ?? explanation.value ?? control.defaultValue
        differsFromDefault =
            !DomainName.ofDefaults.contains(domain) && !explanation.isDefault(explanation.value, of: control)
    }
}

extension DomainName {
    /// The domains whose values nobody has decided on, neither a person nor an administrator.
    fileprivate static let ofDefaults: [DomainName] = [.declaration, .registration, .language]
}

extension Explanation {
    /// What the application's own domain has.
    fileprivate var storedValue: SettingValue? { answers.first { $0.domain == .application }?.value }

    /// Of secrets, too.
    fileprivate var hasStoredValue: Bool { answers.contains { $0.domain == .application } }

    /// Whether a value is the one that there would be without anybody's decision. Of secrets that is not told.
    fileprivate func isDefault(_ value: SettingValue?, of control: Control) -> Bool {
        guard !control.isSecret, let value else { return false }
        let answer = answers.first { DomainName.ofDefaults.contains($0.domain) && $0.outcome != .refused }
        return (answer?.value ?? control.defaultValue).map { control.kind.isSame($0, value) } ?? false
    }
}
