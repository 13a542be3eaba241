/// What one of several writers has tried and done: it sets a key of its own to the number of each step, and then adds one
/// to the shared counter in a commit, which takes the own key along. Now and then it opens the file anew, and tells which step
/// its key has.
public struct WriterRecord: Sendable, Hashable {
    /// The steps that were begun.
    public var attempted = 0
    /// The steps whose commit returned.
    public var acknowledged = 0
    /// The newest step that was begun, and the newest that was done.
    public var lastAttempted = 0
    public var lastAcknowledged = 0
    /// Where the key had another step than the newest one when the file was opened anew, in words.
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

    /// Compares what the key has with what has been done.
    public mutating func note(found step: Int) {
        let possible = lastAcknowledged...max(lastAttempted, lastAcknowledged)
        guard !possible.contains(step) else { return }
        losses.append("It has step \(step), not one of \(possible.lowerBound) to \(possible.upperBound).")
    }
}
