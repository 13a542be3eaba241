/// Finds the change with which a check begins to fail, by halving: it returns the state to check next, and receives the
/// verdict.
///
/// State 0 has none of the changes, and state *n* the first *n*. The newest state must be bad and the oldest good; both
/// are checked first. If the changes lead from good to bad and back several times, it finds one from good to bad.
struct Bisection: Sendable {
    /// The result of checking a state.
    enum Verdict: Sendable, Equatable {
        case good, bad
        /// The check can't decide.
        case skipped
    }

    enum Step: Sendable, Equatable {
        case check(state: Int)
        /// The check fails with this change, counted from 1, and not without it.
        case found(change: Int)
        /// The change is one of these; the states in between were skipped.
        case oneOf(ClosedRange<Int>)
        case newestIsGood
        case oldestIsBad
        /// The oldest state, or the newest one, was skipped.
        case endIsUnknown(state: Int)
    }

    private let count: Int
    /// The newest state known to be good, and the oldest one known to be bad.
    private var (good, bad): (Int, Int)
    private var verdicts: [Int: Verdict] = [:]

    /// - Parameter count: The number of changes.
    init(count: Int) { (self.count, good, bad) = (count, 0, count) }

    var next: Step {
        switch verdicts[count] {
        case nil: return .check(state: count)
        case .good: return .newestIsGood
        case .skipped: return .endIsUnknown(state: count)
        case .bad: break
        }
        switch verdicts[0] {
        case nil: return .check(state: 0)
        case .bad: return .oldestIsBad
        case .skipped: return .endIsUnknown(state: 0)
        case .good: break
        }
        if let state = middle { return .check(state: state) }
        return bad - good == 1 ? .found(change: bad) : .oneOf(good + 1...bad)
    }

    /// The number of changes that may be the one.
    var left: Int { bad - good }

    mutating func record(_ verdict: Verdict, of state: Int) {
        verdicts[state] = verdict
        switch verdict {
        case .good: good = max(good, state)
        case .bad: bad = min(bad, state)
        case .skipped: break
        }
    }

    /// The middle of the longest run of unchecked states. Around a skipped state others are often skipped too, so the
    /// nearest one would not do.
    private var middle: Int? {
        var (longest, start) = (0..<0, good + 1)
        for state in good + 1..<bad + 1 where state == bad || verdicts[state] != nil {
            if state - start > longest.count { longest = start..<state }
            start = state + 1
        }
        return longest.isEmpty ? nil : (longest.lowerBound + longest.upperBound) / 2
    }
}
