import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Crashes in the middle of what changes the kept past.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct HistoryCrashTests {
    /// The disk of the storage that was made last, to look at its files.
    private final class Disk: Sendable {
        private let calls = LockedValue<(any SystemCalls)?>(nil)

        func storage(_ calls: any SystemCalls, _ name: String) -> FileStorage {
            self.calls.withLock { $0 = calls }
            return FileStorage(at: crashFolder.appending(path: name), calls: calls, journalLimit: 300)
        }

        /// The parts of the history that contain a text.
        func files(with text: String) throws -> [String] {
            let calls = try #require(calls.withLock { $0 })
            let (operations, names) = (FileOperations(calls), FileNames(crashPath(of: crashFile)))
            return try JournalParts.names([names.journal.name], with: text) { _ in
                guard let file = try? operations.open(names.journal, .read) else { return nil }
                defer { try? operations.close(file, at: names.journal) }
                let size = Int(try operations.status(of: file, at: names.journal).size)
                return Data(try operations.read(file, at: names.journal, offset: 0, count: size))
            }
        }
    }

    private static let history = JournalParts.past

    /// Commits texts at a key, one after another.
    private func commit(_ texts: [String], at key: String, to store: SettingsStore) async throws {
        for text in texts { try await store.commit { try store.keys.setValue(text, forKey: key) } }
    }

    @Test("Whatever the crash, a secret that turns out to be one is not kept once its group has been opened again")
    func withholding() async throws {
        let disk = Disk()
        try await forEachCrashPoint(
            of: { disk.storage($0, $1) }, acknowledging: Int.self, history: .keep(), maximumImagesPerPoint: 10
        ) { run in
            let store = try await run.openStore()
            try await commit(["hush-1", "hush-2"], at: "token", to: store)
            try await run.settle()
            try await commit(["hush-3", "hush-4"], at: "token", to: store)
            _ = try await store.group(PartlyHiddenSettings.self)
            try await store.flush()
            run.acknowledge(1)
            try await store.close()
        } check: { recovered in
            let store = recovered.store
            _ = try await store.group(PartlyHiddenSettings.self)
            try await store.flush()
            guard try await store.isHistoryKept() else { return }
            #expect(try await store.entries().allSatisfy { $0.changes.allSatisfy(\.isSecret) }, "\(recovered)")
            #expect(try !disk.files(with: "hush").contains(Self.history), "\(recovered)")
            // Until then it may be what is stored.
            if !recovered.acknowledged.isEmpty { #expect(try disk.files(with: "hush-1") == [], "\(recovered)") }
        }
    }

    @Test("Whatever the crash, a policy that was given is in force, and what it does not keep is gone")
    func policies() async throws {
        let disk = Disk()
        try await forEachCrashPoint(
            of: { disk.storage($0, $1) }, acknowledging: Int.self, maximumImagesPerPoint: 10
        ) { run in
            let storage = try await run.openStorage()
            let history = try #require(storage as? any HistoryStorage)
            _ = try await storage.load()
            var number: UInt64 = 0
            func append(_ count: Int) async throws {
                for _ in 0..<count {
                    number += 1
                    let value = SettingValue.string("text-\(number)")
                    var batch = StorageBatch(revision: number, values: ["a": value])
                    let mutation = StoredMutation(key: "a", oldValue: nil, newValue: value)
                    if history.keepsHistory {
                        batch.transactions = [
                            StoredTransaction(
                                time: Date().timeIntervalSinceReferenceDate,
                                author: TransactionAuthor(name: "\(number)"), origin: .local, mutations: [mutation])
                        ]
                    }
                    _ = try await storage.append(batch, durability: .synced)
                }
            }
            for most in [5, 2, 0, 3] {
                try await history.keepHistory(most == 0 ? .none : .keep(transactions: most))
                run.acknowledge(most)
                try await append(3)
                try await run.settle()
                try await append(1)
            }
            await storage.close()
        } check: { recovered in
            let store = recovered.store
            try await store.commit { try store.keys.setValue("last", forKey: "a") }
            let isKept = try await store.isHistoryKept()
            let policies = [0, 5, 2, 0, 3]
            let acknowledged = recovered.acknowledged.count
            let possible = policies[acknowledged...min(acknowledged + 1, policies.count - 1)]
            #expect(possible.contains { ($0 > 0) == isKept }, "\(recovered)")
            if acknowledged >= 3 { #expect(try disk.files(with: "text-2") == [], "\(recovered)") }
            guard isKept else { return }
            let count = try await store.entries().count
            #expect(possible.contains { count <= $0 } && count > 0, "\(recovered)")
        }
    }

    @Test("Whatever the crash, an undo that was acknowledged is in the history, and says what it took back")
    func undo() async throws {
        try await forEachCrashPoint(
            of: { FileStorage(at: crashFolder.appending(path: $1), calls: $0, journalLimit: 300) },
            acknowledging: ChangeToken.self, history: .keep(), maximumImagesPerPoint: 10
        ) { run in
            let store = try await run.openStore()
            for number in 1...3 {
                try await commit(["\(number)", "wrong"], at: "a", to: store)
                let token = try store.newest()
                if number == 2 { try await run.settle() }
                try await store.history.undo(token)
                run.acknowledge(token)
            }
            try await store.close()
        } check: { recovered in
            let store = recovered.store
            let stored =
                switch store.keys["a"] {
                case .string(let text): text
                case .integer(let number): String(number)
                default: String?.none
                }
            let done = recovered.acknowledged.count
            if done > 0 { #expect(stored == "wrong" || Int(stored ?? "").map { $0 >= done } == true, "\(recovered)") }
            guard done > 0 else { return }
            try await store.commit { try store.keys.setValue(1, forKey: "b") }
            let undone = try await store.entries().compactMap(\.undone)
            #expect(undone.reversed().starts(with: recovered.acknowledged), "\(recovered)")
            #expect(undone.count <= done + 1, "\(recovered)")
        }
    }

    @Test("Whatever the crash, erased values are gone once that was acknowledged, and the history goes on")
    func erasing() async throws {
        let disk = Disk()
        try await forEachCrashPoint(
            of: { disk.storage($0, $1) }, acknowledging: Int.self, history: .keep(), maximumImagesPerPoint: 10
        ) { run in
            let store = try await run.openStore()
            try await commit(["embarrassing-1", "embarrassing-2"], at: "diary", to: store)
            try await run.settle()
            try await commit(["embarrassing-3", "plain"], at: "diary", to: store)
            try await store.file.eraseEarlierValues()
            run.acknowledge(1)
            try await commit(["later"], at: "diary", to: store)
            try await store.close()
        } check: { recovered in
            let store = recovered.store
            try await store.commit { try store.keys.setValue(1, forKey: "b") }
            if try await store.isHistoryKept() {
                #expect(try await store.told().first == "b: nothing → 1", "\(recovered)")
            }
            guard recovered.acknowledged.count == 1 else { return }
            #expect(try await store.isHistoryKept(), "\(recovered)")
            #expect(try disk.files(with: "embarrassing") == [], "\(recovered)")
            #expect(try await store.told().allSatisfy { !$0.contains("embarrassing") }, "\(recovered)")
        }
    }
}

extension SettingsStore {
    /// Whether the file keeps a history.
    fileprivate func isHistoryKept() async throws -> Bool {
        do {
            _ = try await entries(limit: 1)
            return true
        } catch let error as SettingsError where error.code == .historyUnavailable {
            return false
        }
    }
}
