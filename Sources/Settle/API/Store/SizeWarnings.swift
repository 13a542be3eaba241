/// The keys whose values were reported as too large for settings. Each is reported once.
final class SizeWarnings: Sendable {
    private let limit: Int
    private let reported = LockedValue<Set<SettingKey>>([])

    init(limit: Int) { self.limit = limit }

    /// - Returns: The issue to report for a value that was written.
    func issue(for value: SettingValue, at key: SettingKey) -> SettingsError? {
        let size = value.roughSize
        guard size > limit, reported.withLock({ $0.insert(key).inserted }) else { return nil }
        return .largeValue(key: key, size: size, limit: limit)
    }
}
