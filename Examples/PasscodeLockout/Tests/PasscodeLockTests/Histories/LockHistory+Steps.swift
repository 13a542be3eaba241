import Foundation
import PasscodeLock
import Settle

/// The events in a lock's life.
extension LockHistory {
    mutating func step() async throws {
        if processes.isEmpty { try await open() }
        switch below(hasFiles ? 34 : 24) {
        case 0..<8: try await guess(guessText())
        case 8..<12: try await pass()
        case 12: setClock()
        case 13: try await reboot()
        case 14: try await guess(model.passcode)
        case 15: try await changePasscode()
        case 16: try await fail()
        case 17: try await kill(below(processes.count))
        case 18, 19: try await killDuringAttempt()
        case 20: try await closeOne()
        case 21: try await askForNothing()
        case 22, 23: if canOpenAnother { try await open() }
        case 24, 25: try await guessAtOnce()
        case 26, 30: try rememberFiles()
        case 31: try await useClones()
        case 32: try await guessInClonesAtOnce()
        case 33: try await mixCopies()
        default: try await damageOneFile()
        }
        guard !isOver, !processes.isEmpty else { return }
        try await check(processes[below(processes.count)])
    }

    private func passcode(_ text: String) throws -> Passcode { try Passcode(text) }

    /// Sometimes repeats an earlier guess.
    private mutating func guessText() -> String {
        let text: String
        if !guesses.isEmpty, below(3) == 0 {
            text = guesses[guesses.count - 1 - min(guesses.count - 1, below(8))]
        } else {
            text = newText()
        }
        guesses.append(text)
        return text
    }

    private mutating func anyProcess() -> Process { processes[below(processes.count)] }

    // MARK: Tries

    private mutating func guess(_ text: String) async throws {
        let process = anyProcess()
        let comparison = Duration.seconds(below(4) == 0 ? 1 : 0)
        try await compare(process, text, comparison: comparison) { [passcode] in
            await process.lock.unlock(with: try passcode(text))
        } expected: { model in
            model.unlock(with: text, in: process.number, comparison: comparison)
        }
    }

    private mutating func changePasscode() async throws {
        let process = anyProcess()
        let old = below(2) == 0 ? model.passcode : guessText()
        let new = newText()
        try await compare(process, "\(new) instead of \(old)") { [passcode] in
            try await process.lock.enrol(try passcode(new), replacing: try passcode(old))
        } expected: { model in
            model.changePasscode(to: new, replacing: old, in: process.number)
        }
        guesses.append(old)
    }

    /// The verifier fails, which must not help an attacker.
    private mutating func fail() async throws {
        let process = anyProcess()
        let text = below(2) == 0 ? model.passcode : newText()
        process.verifier.setFailing(true)
        defer { process.verifier.setFailing(false) }
        try await compare(process, "\(text), while the verifier fails,") { [passcode] in
            await process.lock.unlock(with: try passcode(text))
        } expected: { model in
            model.unlock(with: text, in: process.number, isFailing: true)
        }
    }

    private mutating func compare(
        _ process: Process, _ text: String, comparison: Duration = .zero, _ attempt: () async throws -> AttemptResult,
        expected: (inout ReferenceLock) -> AttemptResult
    ) async throws {
        let (compared, real) = (model.compared, process.verifier.count)
        let mustCompare = model.refusalOfNew == nil
        process.verifier.onVerify { [time] in time.advance(by: comparison) }
        let result = try await attempt()
        process.verifier.onVerify {}
        let expected = expected(&model)
        note("process \(process.number) tries \(text): \(result)")
        try require(result == expected, "The result is \(result) instead of \(expected).")
        let comparisons = process.verifier.count - real
        try require(comparisons == 0 || mustCompare, "A passcode was compared that had to wait.")
        let isComparison =
            switch expected {
            case .accepted, .wrong, .failed: 1
            case .repeated, .refused: 0
            }
        try require(comparisons == isComparison, "\(comparisons) passcodes were compared, after \(compared).")
    }

    /// Asking for a new passcode without giving the old one is no try.
    private mutating func askForNothing() async throws {
        let process = anyProcess()
        let result = try await process.lock.enrol(passcode(newText()))
        note("process \(process.number) asks for a new passcode without the old one")
        try require(result == .refused(model.status), "The result is \(result).")
    }

    // MARK: Time

    private mutating func pass() async throws {
        let duration: Duration
        switch below(8) {
        case 0, 1: duration = model.remaining
        case 2: duration = max(.zero, model.remaining - .nanoseconds(1))
        case 3: duration = .seconds(below(400))
        case 4: duration = .days(below(40))
        // The guesses remembered for R8 expire exactly then.
        case 5: duration = .minutes(5)
        case 6: duration = .minutes(5) - .nanoseconds(1)
        default: duration = .nanoseconds(below(3))
        }
        time.advance(by: duration)
        model.advance(by: duration)
        note("\(duration) pass")
    }

    private mutating func setClock() {
        let days = below(20_000) - 10_000
        time.setWallClock(forwardBy: .days(days))
        note("somebody sets the clock by \(days) days")
    }

    private mutating func reboot() async throws {
        try await killAll()
        time.reboot(off: .seconds(below(1_000_000)))
        model.reboot()
        note("the machine boots")
        try await check(open())
    }
}

extension ReferenceLock {
    /// The result for a passcode that was not tried before.
    var refusalOfNew: AttemptResult? { status == .ready ? nil : .refused(status) }
}
