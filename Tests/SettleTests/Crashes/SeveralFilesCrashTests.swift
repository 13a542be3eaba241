import Foundation
import Settle
import SettleTesting
import Testing

/// Scenarios with two settings files on one disk.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct SeveralFilesCrashTests {
    private static let copy = "second/copy.json"

    /// The order in which a scenario stores two copies of one count.
    enum Way: Sendable, CaseIterable {
        /// The original, the copy, then the acknowledgement.
        case right
        /// The copy first.
        case copyFirst
        /// The acknowledgement before the copy.
        case toldTooEarly
    }

    private static func count(_ way: Way, _ run: CrashRun<Int>) async throws {
        let stores = (try await run.openStore(), try await run.openStore(named: copy))
        let original = try await stores.0.group(CounterSettings.self)
        let copy = try await stores.1.group(CounterSettings.self)
        for number in 1...2 {
            try await stores.0.withLock {
                if way == .copyFirst { try await copy.commit { copy.count = number } }
                try await original.commit { original.count = number }
                if way == .toldTooEarly { run.acknowledge(number) }
                if way != .copyFirst { try await copy.commit { copy.count = number } }
                if way != .toldTooEarly { run.acknowledge(number) }
            }
        }
        try await run.settle()
    }

    /// Each file has what was acknowledged, and the copy is never ahead.
    private static func check(_ recovered: CrashRecovery<Int>) async throws {
        let original = try await recovered.store.group(CounterSettings.self)
        let copy = try await recovered.store(named: Self.copy).group(CounterSettings.self)
        let told = recovered.acknowledged.last ?? 0
        guard copy.count >= told, original.count >= told, (0...1).contains(original.count - copy.count) else {
            throw TestFailure(number: 10 * original.count + copy.count)
        }
    }

    @Test("Two files that are written in the right order pass") func rightOrder() async throws {
        let checks = LockedValue(0)
        try await forEachCrashPoint(acknowledging: Int.self, maximumImagesPerPoint: 30) { run in
            try await Self.count(.right, run)
        } check: { recovered in
            checks.withLock { $0 += 1 }
            try await Self.check(recovered)
        }
        #expect(checks.withLock { $0 } > 50)
    }

    @Test("A wrong order is caught", arguments: [(Way.copyFirst, 1), (.toldTooEarly, 10)])
    func wrongOrder(way: Way, found: Int) async throws {
        let error = await #expect(throws: CrashFailure.self) {
            try await forEachCrashPoint(acknowledging: Int.self, maximumImagesPerPoint: 30) { run in
                try await Self.count(way, run)
            } check: { recovered in
                try await Self.check(recovered)
            }
        }
        #expect(error?.underlying as? TestFailure == TestFailure(number: found), "\(String(describing: error))")
    }

    @Test("After a crash, the app's own code runs again on both files, and no lock is still held")
    func runsAgain() async throws {
        let initial = ["second/copy.json": Data(#"{"count": 7}"#.utf8), "settings.json": Data(#"{"count": 7}"#.utf8)]
        try await forEachCrashPoint(acknowledging: Int.self, initialFiles: initial, maximumImagesPerPoint: 10) { run in
            try await Self.count(.right, run)
        } check: { recovered in
            let stores = (recovered.store, try await recovered.store(named: Self.copy))
            #expect(try await recovered.store(named: Self.copy) == stores.1)
            #expect(try await recovered.store(named: "settings.json") == stores.0)
            #expect(stores.0.file.loadOutcome == .intact && stores.1.file.loadOutcome == .intact, "\(recovered)")
            let settings = (
                try await stores.0.group(CounterSettings.self), try await stores.1.group(CounterSettings.self)
            )
            for name in ["default", "other"] {
                try await stores.0.withLock(named: name) {
                    let next = max(settings.0.count, settings.1.count) + 1
                    try await settings.0.commit { settings.0.count = next }
                    try await settings.1.commit { settings.1.count = next }
                }
            }
            #expect(settings.0.count == settings.1.count, "\(recovered)")
            try await stores.0.close()
            try await stores.1.close()
        }
    }

    @Test(
        "A flaw in the storage of one file is caught, and the failure names the file",
        arguments: [FlawedStorage.Flaw.none, .forgetsFolderSync, .splitsBatches])
    func flawInOne(flaw: FlawedStorage.Flaw) async throws {
        func run() async throws {
            let makeStorage: MakeCrashStorage = { disk, name in
                if name == crashFile { return FileStorage(at: crashFolder.appending(path: name), calls: disk) }
                return FlawedStorage(disk, flaw, name: name)
            }
            try await forEachCrashPoint(of: makeStorage, acknowledging: Int.self, maximumImagesPerPoint: 20) { run in
                for name in [crashFile, "copy.json"] {
                    let settings = try await run.openStore(named: name).group(CounterSettings.self)
                    try await settings.commit {
                        settings.count += 1
                        settings.other -= 1
                    }
                }
            }
        }
        guard flaw != .none else { return try await run() }
        let error = await #expect(throws: CrashFailure.self) { try await run() }
        #expect(error?.reason.hasPrefix("copy.json: ") == true, "\(String(describing: error))")
    }

    @Test("A power loss affects each file independently") func powerLoss() async throws {
        let found = LockedValue<Set<[Int]>>([])
        try await forEachCrashPoint(acknowledging: Int.self) { run in
            for name in [crashFile, Self.copy] {
                let storage = try await run.openStorage(named: name)
                _ = try await storage.load()
                _ = try await storage.append(batch(1, ["count": .integer(1)]), durability: .buffered)
            }
        } check: { recovered in
            let original = try await recovered.store.group(CounterSettings.self)
            let copy = try await recovered.store(named: Self.copy).group(CounterSettings.self)
            found.withLock { _ = $0.insert([original.count, copy.count]) }
        }
        #expect(found.withLock { $0 } == [[0, 0], [0, 1], [1, 0], [1, 1]])
    }

    @Test("A file that is opened late starts with its initial contents") func openedLate() async throws {
        try await forEachCrashPoint(initialFiles: ["copy.json": Data(#"{"count": 3}"#.utf8)]) { run in
            let settings = try await run.openStore().group(CounterSettings.self)
            try await settings.commit { settings.count = 1 }
            let copy = try await run.openStore(named: "copy.json").group(CounterSettings.self)
            try await copy.commit { copy.count += 1 }
        } check: { recovered in
            let copy = try await recovered.store(named: "copy.json").group(CounterSettings.self)
            #expect((3...4).contains(copy.count), "\(recovered)")
        }
    }
}
