import Foundation
import Settle
import TrialChecks

/// Commits and writes under names, step by step, to a file that others write too, until it is killed or asked to end.
struct AuthoringChild: ChildRole {
    var place: ChildPlace
    var writer: Int
    var seed: UInt64
    var firstStep: Int

    /// What it says before it flushes.
    static let flushWord = "flushing"

    private static let process = Int(ProcessInfo.processInfo.processIdentifier)

    func run(_ acknowledgements: AcknowledgementFile) async throws {
        let store = try await RememberedFile.open(place, acknowledgements)
        let secret = try await ChildSecret(in: store)
        let own = try await store.group(AuthorSettings.self, at: AuthorSettings.key(ofWriter: writer))
        let work = Work(
            writer: writer, store: store, own: own, totals: try await store.group(), acknowledgements: acknowledgements)
        let end = StandardStreams.untilParentSpeaks()
        try await secret.write(firstStep)
        say("ready")
        var step = firstStep
        var random = SeededGenerator(seed: seed)
        while !end.hasCome {
            switch Int.random(in: 0..<17, using: &random) {
            case 0..<9: try await work.commit(next(1, &step), &random)
            case 9..<11: try await work.commitAtOnce(next(3, &step), &random)
            case 11..<14: try work.write(next(1, &step), &random)
            case 14:
                say(Self.flushWord)
                try await work.flush()
                try await secret.write(step)
            case 15: try work.write(next(Int.random(in: 2...30, using: &random), &step), &random)
            default:
                try work.write(next(Int.random(in: 2...8, using: &random), &step), &random)
                try await work.commit(next(1, &step), &random)
            }
            if Int.random(in: 0..<4, using: &random) > 0 {
                MonotonicTime.pause(microseconds: Int.random(in: 0...Self.longestPause, using: &random))
            }
        }
        try await export(store)
        try await store.close()
        acknowledgements.add("saved", step)
    }

    /// Leaves an export, which must not have the secret either, even if secrets are requested.
    private func export(_ store: SettingsStore) async throws {
        let file = URL(filePath: place.folder).appending(path: "exported-\(writer).json")
        try await store.file.export(includingSecrets: true).write(to: file)
    }

    /// In microseconds. Without pauses the follower would never be idle, and the history would soon be long.
    private static let longestPause = 200_000

    private func next(_ count: Int, _ step: inout Int) -> Range<Int> {
        defer { step += count }
        return step..<step + count
    }

    private struct Work: Sendable {
        let writer: Int
        let store: SettingsStore
        let own: AuthorSettings
        let totals: TotalSettings
        let acknowledgements: AcknowledgementFile

        func commit(_ steps: Range<Int>, _ random: inout SeededGenerator) async throws {
            for step in steps { try await commit(step, Self.text(&random)) }
        }

        /// Several tasks commit, so that the storage gets their transactions together.
        func commitAtOnce(_ steps: Range<Int>, _ random: inout SeededGenerator) async throws {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for step in steps {
                    let text = Self.text(&random)
                    tasks.addTask { try await commit(step, text) }
                }
                try await tasks.waitForAll()
            }
        }

        private func commit(_ step: Int, _ text: String) async throws {
            acknowledgements.add("try", step, AuthoringChild.process)
            try await store.commit(author: ReportedTransaction.author(ofStep: step, by: writer)) {
                totals.total += 1
                (own.step, own.text) = (step, text)
            }
            acknowledgements.add("done", step, AuthoringChild.process)
        }

        /// Plain writes, which a commit or the passing of time saves.
        func write(_ steps: Range<Int>, _ random: inout SeededGenerator) throws {
            for step in steps {
                let text = Self.text(&random)
                acknowledgements.add("try", step, AuthoringChild.process)
                try store.update(author: ReportedTransaction.author(ofStep: step, by: writer)) {
                    (own.step, own.text) = (step, text)
                }
                acknowledgements.add("wrote", step)
            }
        }

        /// Renews the journal if it is full.
        func flush() async throws {
            try await store.file.flush()
            acknowledgements.add("saved", 0)
        }

        /// Long enough that a journal is full after some dozens.
        private static func text(_ random: inout SeededGenerator) -> String {
            let isLong = Int.random(in: 0..<32, using: &random) == 0
            return String(
                repeating: String(UnicodeScalar(UInt8.random(in: 97...122, using: &random))),
                count: Int.random(in: isLong ? 4_000...12_000 : 50...800, using: &random))
        }
    }
}
