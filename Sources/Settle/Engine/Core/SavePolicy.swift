/// The policy for saving a group's changes.
public enum SavePolicy: Sendable, Hashable {
    /// The policy of the group around it; for a group that is opened itself,
    /// ``SettingsStore/Configuration/savePolicy``.
    case inherited
    /// After a quiet period without another change, and at the latest after a longest delay since the first.
    case debounced(quiet: Duration = .milliseconds(250), atMost: Duration = .seconds(2))
    /// As soon as possible after each change, without delay.
    case immediate
    /// Never: the values live as long as the process.
    case memoryOnly
}

extension SavePolicy {
    /// The quiet period and the longest delay, if debounced.
    var delays: (quiet: Duration, longest: Duration)? {
        if case .debounced(let quiet, let longest) = self { (quiet, longest) } else { nil }
    }

    /// The delays of `debounced()`.
    static var standardDelays: (quiet: Duration, longest: Duration) {
        debounced().delays ?? (.zero, .zero)
    }
}
