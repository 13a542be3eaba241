import Foundation
import PasscodeLock
import Settle
import Synchronization

/// Kills, races and damage.
extension LockHistory {
    // MARK: Interrupted tries

    /// Kills a process somewhere between the beginning and the end of a try; sometimes it damages a file as well.
    mutating func killDuringAttempt() async throws {
        let index = below(processes.count)
        let process = processes[index]
        let isRight = below(4) == 0
        let text = isRight ? model.passcode : newText()
        let mayCount = model.refusal(of: text, in: process.number) == nil
        let (before, compared) = (model, process.verifier.count)
        if below(2) == 0 {
            process.verifier.onVerify { process.life.end() }
        } else {
            process.life.end(afterAppends: below(6))
        }
        let result = await process.lock.unlock(with: try Passcode(text))
        process.verifier.onVerify {}
        guard !process.life.survive() else {
            let expected = model.unlock(with: text, in: process.number)
            note("process \(process.number) tries \(text): \(result)")
            return try require(result == expected, "The result is \(result) instead of \(expected).")
        }
        let wasCompared = process.verifier.count > compared
        note(
            "process \(process.number) dies while it tries \(text), \(wasCompared ? "after" : "before") the comparison")
        try require(!wasCompared || mayCount, "A passcode was compared that had to wait.")
        try await kill(index)
        // Other processes would merge what it left behind at any moment.
        try await killAll()
        let lowest = before.count + (wasCompared ? 1 : 0)
        var highest = before.count + (mayCount ? 1 : 0)
        if hasFiles, below(4) == 0 {
            try harmOneFile()
            highest = model.schedule.limit
        }
        try await reopen(
            allowing: (wasCompared && isRight ? 0 : lowest)...highest,
            atLeast: wasCompared && isRight ? .ready : before.status,
            wasCompared: wasCompared, wasRight: wasCompared && isRight)
    }

    // MARK: Concurrent guesses

    /// Two processes, or two tasks of one, guess at the same moment. If one try is allowed, only one is compared.
    mutating func guessAtOnce() async throws {
        if processes.count < 2 { try await open() }
        let guessers = (0..<2 + below(2)).map { _ in processes[below(processes.count)] }
        let texts = guessers.map { _ in newText() }
        let results = try await withThrowingTaskGroup(of: (Int, AttemptResult).self) { group in
            for (index, process) in guessers.enumerated() {
                let passcode = try Passcode(texts[index])
                group.addTask { (index, await process.lock.unlock(with: passcode)) }
            }
            return try await group.reduce(into: [(Int, AttemptResult)]()) { $0.append($1) }
        }
        note("processes \(guessers.map(\.number)) guess at once: \(results.map(\.1))")
        // In the order in which they were recorded: each wrong one has another status, except before the first wait.
        let waits = results.sorted { isEarlier($0.1, $1.1) }
        for (index, result) in waits {
            let expected = model.unlock(with: texts[index], in: guessers[index].number)
            try require(result == expected, "One of them got \(result) instead of \(expected).")
        }
    }

    private func isEarlier(_ one: AttemptResult, _ other: AttemptResult) -> Bool {
        rank(one) < rank(other)
    }

    private func rank(_ result: AttemptResult) -> Int {
        switch result {
        case .wrong(.ready): 0
        case .wrong: 1
        case .accepted, .repeated, .refused, .failed: 2
        }
    }

    // MARK: Files

    mutating func rememberFiles() throws {
        guard case .folder(let folder) = place else { return }
        earlier.append(try folder.contents())
        note("somebody copies the files (copy \(earlier.count))")
    }

    /// Damages a file while the lock is not in use. The lock may become stricter, but never milder (I5).
    mutating func damageOneFile() async throws {
        try await killAll()
        try harmOneFile()
        try await reopen(allowing: model.count...model.schedule.limit, atLeast: model.status)
    }

    private mutating func harmOneFile() throws {
        guard case .folder(let folder) = place else { return }
        let files = try folder.files
        let name = files[below(files.count)]
        var bytes = try folder.bytes(of: name)
        switch below(5) {
        case 0:
            try folder.remove(name)
            note("\(name) is removed")
        case 1 where !bytes.isEmpty:
            let length = below(bytes.count)
            try folder.write(bytes.prefix(length), to: name)
            note("\(name) is cut to \(length) of \(bytes.count) bytes")
        case 2, 3:
            let olds = earlier.compactMap { $0[name] }
            guard !olds.isEmpty else { return }
            try folder.write(olds[below(olds.count)], to: name)
            note("an old version of \(name) is restored")
        default:
            guard !bytes.isEmpty else { return }
            let index = below(bytes.count)
            bytes[index] ^= UInt8(1 << below(8))
            try folder.write(bytes, to: name)
            note("byte \(index) of \(name) is flipped")
        }
    }
}
