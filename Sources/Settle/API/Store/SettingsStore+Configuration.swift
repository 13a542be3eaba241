extension SettingsStore {
    /// The behavior of a store. Every value has a default that suits an app and a service.
    public struct Configuration: Sendable {
        /// The policy for saving changes, for groups that don't choose. Default: 250 ms after the last change, at most
        /// 2 s after the first.
        public var savePolicy: SavePolicy
        /// The number of transactions that the log keeps for subscribers that are slow or start from an earlier
        /// revision; rounded up to a power of two, at most 1,048,576. Default 1,024. Fewer save memory; a slow
        /// subscriber misses more.
        public var logLimit: Int
        /// The memory that the values in the log may take, in bytes, by estimate. Default 4 MiB. A transaction whose
        /// own values exceed it is kept without them: its subscribers get a change without mutations, in which it
        /// counts as missed.
        ///
        /// Where the type does not determine the size, as for strings in an array or in a plain `Codable` value, the
        /// size is known once the setting has been stored or read: such a value counts with the size of its stored
        /// form, and until its first save with the size of the value before it. Settings that are kept in memory only
        /// are never measured.
        public var logCostLimit: Int
        /// The largest size of a value that is written by key, in bytes as a storage needs them, by estimate. Default
        /// 4 MiB. A larger value is stored all the same, with an issue, once for each key: settings are not meant for
        /// large data.
        public var valueSizeLimit: Int
        /// The shortest and the longest wait before retrying a failed save; each failure doubles the wait.
        /// Default 250 ms to 30 s.
        public var retryDelay: ClosedRange<Duration>
        /// The amount of history that is kept, in the journal, for ``SettingsStore/History/entries(of:since:limit:)``
        /// and ``SettingsStore/History/undo(_:force:author:)``. Default ``HistoryPolicy/unchanged``. Every process that
        /// opens the file adheres to the last policy given.
        public var history: HistoryPolicy
        /// Receives the issues of ``SettingsStore/issues`` while nothing iterates them, once for each code and key, and
        /// at most 100 in all. Default `nil`: a line on standard error. It is called on its own queue, in order, so it
        /// may take its time and use the store. A handle that joins an open store leaves the store its handler.
        public var unheardIssueHandler: (@Sendable (SettingsError) -> Void)?
        /// Makes the JSON Schema of settings, if it is to be kept beside the file; see `writesSchema` in
        /// `SettleInterchange`.
        package var schemaEncoder: SchemaEncoder?
        /// The clock for delays. Default: the continuous clock, which runs while the machine sleeps. With any other
        /// clock, the times of changes follow it too, from the opening of the store on.
        public var clock: any Clock<Duration>

        /// Creates a configuration; each value has the default that its property names.
        ///
        /// A `logLimit` below 1 becomes 1, a negative `logCostLimit` or `valueSizeLimit` 0.
        public init(
            savePolicy: SavePolicy = .debounced(), logLimit: Int = 1_024,
            logCostLimit: Int = 4 << 20, valueSizeLimit: Int = 4 << 20,
            retryDelay: ClosedRange<Duration> = .milliseconds(250) ... .seconds(30),
            history: HistoryPolicy = .unchanged, clock: any Clock<Duration> = ContinuousClock(),
            unheardIssueHandler: (@Sendable (SettingsError) -> Void)? = nil
        ) {
            self.savePolicy = savePolicy
            self.logLimit = max(1, logLimit)
            self.logCostLimit = max(0, logCostLimit)
            self.valueSizeLimit = max(0, valueSizeLimit)
            self.retryDelay = retryDelay
            self.history = history
            self.clock = clock
            self.unheardIssueHandler = unheardIssueHandler
        }
    }
}

extension SettingsStore.Configuration {
    /// The values that differ from those of another configuration: the name of each, the other's value, and this one's.
    func differences(from other: Self) -> [(name: String, theirs: String, ours: String)] {
        var differences: [(name: String, theirs: String, ours: String)] = []
        func compare<Value: Equatable>(_ name: String, _ value: KeyPath<Self, Value>) {
            let (theirs, ours) = (other[keyPath: value], self[keyPath: value])
            if theirs != ours { differences.append((name, "\(theirs)", "\(ours)")) }
        }
        compare("savePolicy", \.savePolicy)
        compare("logLimit", \.logLimit)
        compare("logCostLimit", \.logCostLimit)
        compare("valueSizeLimit", \.valueSizeLimit)
        compare("retryDelay", \.retryDelay)
        compare("history", \.history)
        compare("writesSchema", \.hasSchemaEncoder)
        if !isSameClock(clock, other.clock) {
            differences.append(("clock", "\(type(of: other.clock))", "\(type(of: clock))"))
        }
        return differences
    }
}

extension SettingsStore.Configuration {
    package typealias SchemaEncoder = @Sendable ([SettingInfo]) throws(SettingsError) -> [UInt8]

    private var hasSchemaEncoder: Bool { schemaEncoder != nil }
}

/// Clocks that are values are interchangeable; a clock that is an object has its own time.
private func isSameClock(_ first: any Clock<Duration>, _ second: any Clock<Duration>) -> Bool {
    guard type(of: first) == type(of: second) else { return false }
    guard type(of: first) is AnyClass else { return true }
    return first as AnyObject === second as AnyObject
}
