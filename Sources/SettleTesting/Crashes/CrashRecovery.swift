public import Settle

/// What is left after a crash, opened again.
public struct CrashRecovery<Acknowledged: Sendable>: Sendable, CustomStringConvertible {
    /// A store on what was found. What is written to it is seen by nobody else.
    public let store: SettingsStore
    /// What the outside world had been told before the crash, in order.
    public let acknowledged: [Acknowledged]
    /// Where the crash was and what it left behind, to be told with a failure: `#expect(…, "\(recovered)")`.
    public let description: String
}
