import Foundation
import PasscodeLock

extension LockStatus {
    /// For a user who has asked.
    var sentence: String {
        switch self {
        case .ready: "A passcode may be tried."
        case .delayed(let remaining, _): "Wait another \(remaining.inWords); until then no passcode is compared."
        case .exhausted: "There were too many wrong guesses: no further passcode is compared."
        case .unavailable(let reason): reason.isLasting ? "\(reason) See “passcode help recover”." : "\(reason)"
        }
    }

    /// For a line that is redrawn.
    var line: String {
        switch self {
        case .ready: "ready"
        case .delayed(let remaining, let level): "delayed: \(remaining.inWords) left, wait number \(level)"
        case .exhausted: "exhausted"
        case .unavailable(let reason): "unavailable: \(reason)"
        }
    }
}

extension LockStatus.Reason {
    /// Whether the lock itself has no way out of it.
    fileprivate var isLasting: Bool {
        switch self {
        case .damaged, .mismatched, .rolledBack, .otherVersion: true
        case .notEnrolled, .busy, .notSaved, .noWitness, .noTime: false
        }
    }
}

extension Duration {
    /// The two largest units, such as "4 min 59 s". Rounded up, so that no one comes back too early.
    var inWords: String {
        // `components` traps where an edited audit record has more seconds than its type.
        let (seconds, attoseconds) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
        var rest = attoseconds > 0 ? seconds + 1 : seconds
        var parts: [String] = []
        for (length, name) in [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")] as [(Int128, String)] {
            let count = rest / length
            rest %= length
            if count > 0 { parts.append("\(count) \(name)") } else if !parts.isEmpty { break }
            if parts.count == 2 { break }
        }
        return parts.isEmpty ? "0 s" : parts.joined(separator: " ")
    }
}

extension Date {
    /// In the local time zone.
    var localTime: String {
        formatted(
            Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current).year().month().day()
                .time(includingFractionalSeconds: false))
    }
}
