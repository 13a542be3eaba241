/// Values of settings that are kept in memory only and that nobody uses at the moment.
///
/// A store does not keep its groups alive, and the storage has no copy of these values. So a box that goes away leaves its
/// value here, for the next one of its key.
final class RetainedValues: @unchecked Sendable {
    // Sendable: `values` is guarded by `lock`. It is a lock of its own because a box may go away under any other lock.
    private let lock = Lock()
    private var values: [SettingKey: any Sendable] = [:]

    func keep(_ value: any Sendable, forKey key: SettingKey) {
        lock.withLock { values[key] = value }
    }

    func value(forKey key: SettingKey) -> (any Sendable)? {
        lock.withLock { values[key] }
    }

    /// Takes the value out, for a box that has it from now on.
    func takeValue(forKey key: SettingKey) -> (any Sendable)? {
        lock.withLock { values.removeValue(forKey: key) }
    }
}
