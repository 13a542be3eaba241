import FleetMachines
import Settle
import TrialChecks

/// The work of a service in the trial: it writes and reads registers, and reports each call with its outcome, and the
/// emergency in force.
struct TrialWork {
    let store: SettingsStore
    let group: TrialGroup

    private enum Outcome {
        /// With what the operation answers.
        case acknowledged(Int)
        case refused
        case unknown
    }

    private static func report(_ word: String, _ numbers: [Int], text: String? = nil) {
        Terminal.say(Acknowledgement(word, numbers, text: text).line)
    }

    /// Reports its registers, and those of the inner service, as far as they count as some of its settings.
    func reportRegisters() {
        let inner = TrialGroup.innerKeys.map { (try? store.keys.value(forKey: $0, as: Int.self)) ?? 0 }
        Self.report("registers", group.all.map(\.value) + inner)
    }

    /// - Parameters:
    ///   - first: The unique values begin after it.
    ///   - end: The moment to stop at.
    func run(from first: Int, until end: Int) async {
        let samples = Task { await sample() }
        defer { samples.cancel() }
        var value = first
        var isUnsettled = false
        while MonotonicTime.now() < end {
            let outcome: Outcome
            switch Int.random(in: 0..<12) {
            case 0..<6:
                value += 1
                let operation = Int.random(in: 0..<4) == 0 ? RegisterOperation.write(value) : .replace(value)
                outcome = await commit(operation, of: .random(in: TrialGroup.unique))
            case 6..<8: outcome = await commit(.replace(.random(in: 1...3)), of: .random(in: TrialGroup.repeated))
            // A commit with an unknown outcome is in force here until the next one, so what a plain read returns may
            // never be stored.
            case 8..<10 where !isUnsettled: outcome = await count()
            default: outcome = await commit(.read, of: .random(in: 0...TrialGroup.counterRegister))
            }
            switch outcome {
            case .acknowledged: isUnsettled = false
            case .refused: break
            case .unknown: isUnsettled = true
            }
            // Sometimes as long as a proxy leaves an idle connection open.
            let isLong = Int.random(in: 0..<8) == 0
            try? await Task.sleep(for: isLong ? TrialProxies.idleLimit : .milliseconds(.random(in: 5...40)))
        }
        Self.report("finished", [MonotonicTime.now()])
    }

    private func commit(_ operation: RegisterOperation, of register: Int) async -> Outcome {
        Self.report("call", [register, MonotonicTime.now()], text: RegisterSpelling.text(operation))
        let setting = group.all[register]
        do {
            let answer = try await store.commit {
                let (value, answer) = operation.applied(to: setting.value)
                if operation != .read { try setting.set(value) }
                return answer
            }
            Self.report("answer", [answer, MonotonicTime.now()])
            return .acknowledged(answer)
        } catch {
            let isUnknown = Self.isUnknown(error)
            Self.report(isUnknown ? "unknown" : "refused", [MonotonicTime.now()], text: "\(error)")
            return isUnknown ? .unknown : .refused
        }
    }

    /// Counts under a lock: a plain read, some work, and a commit.
    private func count() async -> Outcome {
        let register = TrialGroup.counterRegister
        let called = MonotonicTime.now()
        do {
            return try await store.withLock(named: "counter", timeout: .seconds(1)) {
                let read = group.all[register].value
                Self.report("call", [register, called], text: RegisterSpelling.text(.read))
                Self.report("answer", [read, MonotonicTime.now()])
                try? await Task.sleep(for: .milliseconds(.random(in: 0...10)))
                let outcome = await commit(.replace(read + 1), of: register)
                if case .acknowledged(let found) = outcome { Self.report("locked", [register, read, found]) }
                return outcome
            }
        } catch {
            // The lock was not taken in time, or it was lost, perhaps after a commit whose outcome is unknown.
            return .unknown
        }
    }

    /// Reports the emergency in force: the first and the last moment of each value, and some between.
    private func sample() async {
        var last: (time: Int, value: Int)?
        var reported = Int.min
        while !Task.isCancelled {
            // First, so that the value was in force at that time or later.
            let time = MonotonicTime.now()
            let value = group.emergency
            let isNew = last?.value != value
            if isNew, let last { Self.report("force", [last.time, last.value]) }
            if isNew || time > reported + 250_000_000 {
                Self.report("force", [time, value])
                reported = time
            }
            last = (time, value)
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Whether a commit that has failed may have been stored.
    private static func isUnknown(_ error: any Error) -> Bool {
        var next: (any Error)? = error
        while let error = next {
            if let error = error as? StorageError { return error.isOutcomeUnknown }
            next = (error as? SettingsError)?.underlying
        }
        return false
    }
}
