import Foundation
import PasscodeLock
import Settle
import SettleTesting

/// I7: Clones of the lock's files, files of other locks, and other names, beside one witness.
extension LockHistory {
    /// Another folder with the same files.
    private mutating func makeClone() throws -> LockFolder? {
        guard case .folder(let folder) = place else { return nil }
        let clone = LockFolder(url: folder.url.deletingLastPathComponent().appending(path: "clone \(nextClone())"))
        try FileManager.default.copyItem(at: folder.url, to: clone.url)
        return clone
    }

    /// Of two clones that are used one after the other, only the first continues.
    mutating func useClones() async throws {
        guard witnessFile != nil, model.status == .ready else { return }
        try await killAll()
        guard case .folder(let folder) = place, let clone = try makeClone() else { return }
        let isCloneFirst = below(2) == 0
        let (first, second) = isCloneFirst ? (clone, folder) : (folder, clone)
        note("somebody clones the files; the \(isCloneFirst ? "clone" : "original") continues")
        place = .folder(first)
        let process = try await open()
        let text = newText()
        let result = await process.lock.unlock(with: try Passcode(text))
        let expected = model.unlock(with: text, in: process.number)
        try require(result == expected, "The first clone says \(result) instead of \(expected).")
        try await killAll()
        place = .folder(second)
        let late = try await open()
        let lateResult = await late.lock.unlock(with: try Passcode(model.passcode))
        guard case .refused(.unavailable(.rolledBack)) = lateResult, late.verifier.count == 0 else {
            throw LockViolation("The second clone says \(lateResult).")
        }
        try await killAll()
        place = .folder(first)
        try await check(open())
    }

    /// Clones guess at the same moment. One that continues has counted everything that was compared in any of them.
    mutating func guessInClonesAtOnce() async throws {
        guard witnessFile != nil, model.status == .ready else { return }
        try await killAll()
        guard case .folder(let folder) = place else { return }
        var folders = [folder]
        for _ in 0...below(3) { if let clone = try makeClone() { folders.append(clone) } }
        let before = model
        var guessers: [Process] = []
        for folder in folders {
            place = .folder(folder)
            guessers.append(try await open())
        }
        let texts = guessers.map { _ in newText() }
        try await withThrowingTaskGroup { group in
            for (process, text) in zip(guessers, texts) {
                group.addTask { await process.lock.unlock(with: try Passcode(text)) }
            }
            try await group.waitForAll()
        }
        let compared = guessers.map(\.verifier.count).reduce(0, +)
        note("\(folders.count) clones guess at once: \(compared) of them compare")
        try await killAll()
        isOver = true
        for folder in folders.shuffled(using: &random) where isOver {
            place = .folder(folder)
            let process = try await open()
            let status = try await process.process.freshStatus()
            if case .unavailable(let reason) = status {
                guard case .rolledBack = reason else { throw LockViolation("A clone says \(reason).") }
                try await killAll()
                continue
            }
            isOver = false
            let count = try await process.lock.attemptCount.orThrow("A clone has no number of tries.")
            try require(
                count >= before.count + compared,
                "\(compared) guesses were compared, but from \(before.count) tries there are only \(count).")
            model.adopt(count: count, status: status, compared: compared)
            try await check(process)
        }
        try require(!isOver, "No clone continues, although nothing was turned back.")
    }

    /// Puts the files of one copy of another lock, or of an earlier moment, in the place of this lock's, and takes them
    /// away again.
    mutating func mixCopies() async throws {
        guard case .folder(let folder) = place else { return }
        try await killAll()
        let contents = try folder.contents()
        let isForeign = earlier.isEmpty || below(2) == 0
        let others = isForeign ? try await foreignFiles() : earlier[below(earlier.count)]
        let copy = below(2)
        var mixed = contents.filter { !LockFolder.isFile($0.key, of: copy) }
        for (file, bytes) in others where LockFolder.isFile(file, of: copy) { mixed[file] = bytes }
        try folder.restore(mixed)
        note("copy \(copy + 1) is replaced by that of \(isForeign ? "another lock" : "an earlier moment")")
        let process = try await open()
        let status = try await process.process.freshStatus()
        if case .unavailable(let reason) = status {
            try require(reason != .notEnrolled, "The lock takes itself for a new one.")
        } else {
            try require(!isForeign, "The files of two locks are taken for one: \(status).")
            try require(!status.isLessStrict(than: model.status), "It says \(status), and had said \(model.status).")
        }
        for passcode in ["foreign", newText()] {
            let compared = process.verifier.count
            let result = await process.lock.unlock(with: try Passcode(passcode))
            try require(result != .accepted, "The passcode of another lock is accepted.")
            if isForeign { try require(process.verifier.count == compared, "A passcode was compared.") }
        }
        let isWitnessed = witnessFile != nil
        try await killAll()
        // What was compared was counted there, and is not taken back: with a witness, it could not be.
        if isForeign || !isWitnessed { try folder.restore(contents) } else { isOver = true }
        if !isOver { try await check(open()) }
    }

    /// The files of another lock, which has been opened more often.
    private mutating func foreignFiles() async throws -> [String: Data] {
        if let foreign { return foreign }
        guard case .folder(let folder) = place else { return [:] }
        let other = LockFolder(url: folder.url.deletingLastPathComponent().appending(path: "foreign"))
        let process = try await LockProcess(in: other, time: time)
        _ = try await process.lock.enrol(Passcode("foreign"))
        for _ in 0..<60 { _ = await process.lock.unlock(with: try Passcode("foreign")) }
        try await process.close()
        let contents = try other.contents()
        foreign = contents
        return contents
    }
}
