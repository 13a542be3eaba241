#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SettingsStore {
    /// The status of saving.
    public var status: Status {
        log.lock.withLock {
            guard let seconds = log.unsaved.oldest else {
                guard let behind = log.unsaved.restingFormBehind else { return .saved }
                return .fileBehind(since: Date(timeIntervalSinceReferenceDate: behind.since), error: behind.error)
            }
            let oldest = Date(timeIntervalSinceReferenceDate: seconds)
            return switch log.unsaved.state {
            case .idle: .pending(oldest: oldest)
            case .saving: .saving(oldest: oldest)
            case .failing(let since, let error):
                .failing(since: Date(timeIntervalSinceReferenceDate: since), error: error, oldest: oldest)
            }
        }
    }

    /// The status of saving.
    ///
    /// `oldest` is the wall time of the oldest change that is not on stable storage: a loss of power would lose nothing
    /// older. Like ``Change/time``, it may be the time of the system's last tick, 1 to 4 ms earlier, if changes are
    /// never requested.
    public enum Status: Sendable, CustomStringConvertible {
        /// Everything is on stable storage.
        case saved
        /// Everything is on stable storage, but the readable file has not been brought up to date since a time: only
        /// the journal beside it has the newest values. The last try failed with an error; it is tried again. The same
        /// holds for a file with an edit that can't be parsed, which is not overwritten.
        case fileBehind(since: Date, error: any Error)
        /// Changes are waiting to be saved. The storage may have them already, so that they survive the end of the
        /// process, but not on stable storage.
        case pending(oldest: Date)
        /// Changes are being made stable.
        case saving(oldest: Date)
        /// Saves have been failing since a time, the last one with an error. They are tried again; nothing is lost.
        case failing(since: Date, error: any Error, oldest: Date)

        /// The wall time of the oldest change that is not on stable storage; `nil` if everything is.
        public var oldestUnsavedChange: Date? {
            switch self {
            case .saved, .fileBehind: nil
            case .pending(let oldest), .saving(let oldest), .failing(_, _, let oldest): oldest
            }
        }

        /// Returns the age of the oldest change that is not on stable storage; zero if everything is saved, or if the
        /// wall clock has been set back behind it.
        public func age(at now: Date = Date()) -> Duration {
            guard let oldest = oldestUnsavedChange else { return .zero }
            return .seconds(max(0, now.timeIntervalSince(oldest)))
        }

        public var description: String {
            switch self {
            case .saved: "saved"
            case .fileBehind(let since, let error): "saved, but the readable file is behind since \(since): \(error)"
            case .pending(let oldest): "pending since \(oldest)"
            case .saving(let oldest): "saving changes since \(oldest)"
            case .failing(let since, let error, let oldest):
                "failing since \(since), with changes since \(oldest): \(error)"
            }
        }
    }
}

extension SettingsStore.Status: Equatable {
    /// Whether two are the same state since the same times. Errors are compared by their descriptions.
    public static func == (first: Self, second: Self) -> Bool {
        switch (first, second) {
        case (.saved, .saved): true
        case (.fileBehind(let since, let error), .fileBehind(let otherSince, let otherError)):
            since == otherSince && "\(error)" == "\(otherError)"
        case (.pending(let oldest), .pending(let otherOldest)), (.saving(let oldest), .saving(let otherOldest)):
            oldest == otherOldest
        case (.failing(let since, let error, let oldest), .failing(let otherSince, let otherError, let otherOldest)):
            since == otherSince && oldest == otherOldest && "\(error)" == "\(otherError)"
        case (.saved, _), (.fileBehind, _), (.pending, _), (.saving, _), (.failing, _): false
        }
    }
}
