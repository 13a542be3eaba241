import Foundation
import PasscodeLock
import Settle
import SettleTesting
import Testing

/// Locks that released versions have written, in `Tests/Formats/VERSION/lock`.
@Suite(.timeLimit(.minutes(10))) struct ReleasedLockTests {
    /// The findings that a reader must have.
    private struct Expectation: Codable, Equatable {
        var attemptCount: Int?
        var status: String
        var events: [String]

        init(_ lock: PasscodeLockout) async {
            attemptCount = await lock.attemptCount
            status =
                switch await lock.status() {
                case .ready: "ready"
                case .delayed(let remaining, let level): "\(remaining.components.seconds) s, level \(level)"
                case .exhausted: "exhausted"
                case .unavailable: "unavailable"
                }
            events = await lock.auditRecords.map { $0.event.rawValue }
        }
    }

    private static let formats = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        .appending(path: "Tests/Formats", directoryHint: .isDirectory)
    private static let area = "lock"
    private static let expectation = "expected.json"

    /// The folders of all versions with a lock.
    private static let released: [URL] = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: formats.path)) ?? []
        return versions.sorted().map { formats.appending(path: $0).appending(path: area) }
            .filter { FileManager.default.fileExists(atPath: $0.appending(path: expectation).path) }
    }()

    @Test("There is a lock that a released version has written") func present() {
        #expect(!Self.released.isEmpty)
    }

    @Test("The tries are counted on, the wait is over in time, and the passcode is right", arguments: released)
    func read(_ version: URL) async throws {
        let temporary = try TemporaryFolder()
        let folder = LockFolder(url: temporary.url)
        for name in try LockFolder(url: version).files where name != Self.expectation {
            try folder.write(Data(contentsOf: version.appending(path: name)), to: name)
        }
        let expected = try JSONDecoder().decode(
            Expectation.self, from: Data(contentsOf: version.appending(path: Self.expectation)))
        let (time, right) = (SimulatedTime(), try LockFixture.right)
        var (stores, lock) = try await Self.open(folder, time)
        let found = await Expectation(lock)
        #expect(found == expected)
        guard case .delayed(let remaining, _) = await lock.status() else {
            Issue.record("No wait is stored.")
            return
        }
        #expect(await lock.unlock(with: right) != .accepted)
        time.advance(by: remaining)
        #expect(await lock.unlock(with: try LockFixture.anotherWrong()) != .accepted)
        #expect(await lock.attemptCount == expected.attemptCount.map { $0 + 1 })
        for store in stores { try await store.close() }
        (stores, lock) = try await Self.open(folder, time)
        time.advance(by: .seconds(30 * 86_400))
        #expect(await lock.unlock(with: right) == .accepted)
        #expect(await !lock.auditRecords.contains { $0.event == .tampering })
        for store in stores { try await store.close() }
    }

    private static func open(
        _ folder: LockFolder, _ time: SimulatedTime
    ) async throws -> (stores: [SettingsStore], lock: PasscodeLockout) {
        let stores = try await folder.openStores()
        let lock = try await PasscodeLockout(
            in: stores[0], and: stores[1], time: time, verifier: ScryptVerifier(ScryptCost(rounds: 2)),
            patience: .seconds(600))
        return (stores, lock)
    }

    // MARK: Writing

    private static let target = ProcessInfo.processInfo.environment["SETTLE_WRITE_FIXTURES"].map {
        URL(filePath: $0, directoryHint: .isDirectory)
    }

    @Test("A new version writes its lock", .enabled(if: ReleasedLockTests.target != nil))
    func writeFixtures() async throws {
        let target = try #require(Self.target).appending(path: Self.area, directoryHint: .isDirectory)
        // Fails if it is there: the lock of a version is written once.
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
        let temporary = try TemporaryFolder()
        let folder = LockFolder(url: temporary.url)
        let (stores, lock) = try await Self.open(folder, SimulatedTime())
        #expect(try await lock.enrol(LockFixture.right) == .accepted)
        while await lock.status() == .ready { _ = await lock.unlock(with: try LockFixture.anotherWrong()) }
        let expected = await Expectation(lock)
        for store in stores { try await store.close() }
        for name in try folder.files where !name.hasSuffix(".tmp") {
            try folder.bytes(of: name).write(to: target.appending(path: name))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(expected).write(to: target.appending(path: Self.expectation))
    }
}
