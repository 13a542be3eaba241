import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// How long a call waits for a lock that another process holds, on a machine too busy for precise pauses.
@Suite(.timeLimit(.minutes(10))) struct LockTimeoutTests {
    /// A clock on which each pause takes five times as long as requested.
    private final class SlowClock: Sendable {
        private let time = LockedValue(Duration.zero)

        var elapsed: Duration { time.withLock { $0 } }

        func timeout(_ limit: Duration) -> LockTimeout {
            LockTimeout(limit: limit, elapsed: { self.elapsed }) { pause in
                self.time.withLock { $0 += pause * 5 }
            }
        }
    }

    private func lockedFile() throws -> (
        FileOperations, FileDescriptor, FilePath, FaultySystemCalls, TemporaryFolder
    ) {
        let folder = try TemporaryFolder()
        let calls = FaultySystemCalls()
        let operations = FileOperations(calls)
        let path = FilePath(folder.url.appending(path: "file").path)
        let file = try operations.open(path, .createNew(permissions: 0o600))
        calls.fail(every: .lock, with: .wouldBlock)
        return (operations, file, path, calls, folder)
    }

    @Test("A timeout counts elapsed time, not requested pauses") func realTime() throws {
        let (operations, file, path, _, _) = try lockedFile()
        let clock = SlowClock()
        var timeout = clock.timeout(.seconds(10))
        let error = #expect(throws: FileError.self) { try timeout.lock(file, at: path, operations) }
        #expect(error?.cause == .wouldBlock)
        #expect(clock.elapsed >= .seconds(10) && clock.elapsed < .seconds(10) + .milliseconds(30))
    }

    @Test("All waits of a call share one timeout, and the next call waits a tenth of it") func together() throws {
        let (operations, file, path, calls, _) = try lockedFile()
        let clock = SlowClock()
        var timeout = clock.timeout(.seconds(1))
        for _ in 0..<3 { #expect(throws: FileError.self) { try timeout.lock(file, at: path, operations) } }
        #expect(clock.elapsed < .seconds(1) + .milliseconds(30))
        for number in 1...3 {
            timeout.renew()
            #expect(throws: FileError.self) { try timeout.lock(file, at: path, operations) }
            let expected = Duration.seconds(1) + .milliseconds(100 * number)
            #expect(clock.elapsed >= expected && clock.elapsed < expected + .milliseconds(120))
        }
        // Once the lock was free, another holder gets the whole time again.
        calls.heal()
        try timeout.lock(file, at: path, operations)
        calls.fail(every: .lock, with: .wouldBlock)
        let start = clock.elapsed
        timeout.renew()
        #expect(throws: FileError.self) { try timeout.lock(file, at: path, operations) }
        #expect(clock.elapsed - start >= .seconds(1))
    }

    @Test("A flush behind other calls that wait for a stopped process fails after at most twice the timeout")
    func queue() async throws {
        let fixture = try FileStorageFixture()
        let other = try fixture.opened()
        try other.save(batch(1, ["count": .integer(1)]))
        let clock = SlowClock()
        let storage = FileStorage(at: fixture.file, calls: POSIXSystemCalls(), lockTimeout: clock.timeout(.seconds(10)))
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: ManualClock()))
        let settings = try await store.group(CounterSettings.self)
        try other.lock()
        settings.count = 2
        let calls = [
            Task { try await settings.commit { settings.count += 1 } }, Task { try await store.flush() },
            Task { try await store.file.flush() },
        ]
        for call in calls { await #expect(throws: SettingsError.self) { try await call.value } }
        #expect(clock.elapsed >= .seconds(10) && clock.elapsed < .seconds(20))
        other.unlock()
        try await store.flush()
        try await store.close()
        #expect(try fixture.freshLoad().tree["count"] == .integer(2))
    }

    @Test("A load waits for the lock once, however often it reads again") func load() throws {
        let fixture = try FileStorageFixture()
        let other = try fixture.opened()
        try other.save(batch(1, ["a": .integer(1)]))
        try other.lock()
        defer { other.unlock() }
        try fixture.write(#"{"a": 2}"#)
        let clock = SlowClock()
        let storage = FileStorage(at: fixture.file, calls: POSIXSystemCalls(), lockTimeout: clock.timeout(.seconds(1)))
        #expect(try storage.load() == intact(["a": .integer(2)]))
        #expect(clock.elapsed >= .seconds(1) && clock.elapsed < .seconds(1) + .milliseconds(60))
        #expect(throws: StorageError.self) { try storage.append(batch(2, ["a": .integer(3)]), durability: .buffered) }
        #expect(clock.elapsed >= .milliseconds(1_100) && clock.elapsed < .milliseconds(1_100) + .milliseconds(120))
    }
}
