/// What one of several writers tried and finished: it sets its own key to the number of each step, then adds one to the
/// shared counter in a commit, which also saves the key. At intervals it opens the file again, and reports the step in
/// its key.
public struct WriterRecord: Sendable, Hashable {
    /// The number of steps begun.
    public var attempted = 0
    /// The number of steps whose commit returned.
    public var acknowledged = 0
    /// The newest step begun, and the newest one finished.
    public var lastAttempted = 0
    public var lastAcknowledged = 0
    /// Each time the key had another step than the newest one when the file was opened again, as text.
    public private(set) var losses: [String] = []

    public init() {}

    public mutating func add(_ line: Acknowledgement) {
        guard let step = line.numbers.first else { return }
        switch line.word {
        case "try":
            attempted += 1
            lastAttempted = step
        case "done":
            acknowledged += 1
            lastAcknowledged = step
        case "found":
            note(found: step)
        default: break
        }
    }

    /// Compares the step in the key with the finished ones.
    public mutating func note(found step: Int) {
        let possible = lastAcknowledged...max(lastAttempted, lastAcknowledged)
        guard !possible.contains(step) else { return }
        losses.append("It has step \(step), not one of \(possible.lowerBound) to \(possible.upperBound).")
    }
}
