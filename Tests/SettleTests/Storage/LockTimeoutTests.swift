import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// How long a call waits for a lock that another process holds, on a machine too busy for precise pauses.
@Suite struct LockTimeoutTests {
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

    private func lockedFile() throws -> (FileOperations, FileDescriptor, FilePath, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let calls = FaultySystemCalls()
        let operations = FileOperations(calls)
        let path = FilePath(folder.url.appending(path: "file").path)
        let file = try operations.open(path, .createNew(permissions: 0o600))
        calls.fail(every: .lock, with: .wouldBlock)
        return (operations, file, path, folder)
    }

    @Test("A timeout counts elapsed time, not requested pauses") func realTime() throws {
        let (operations, file, path, _) = try lockedFile()
        let clock = SlowClock()
        var timeout = clock.timeout(.seconds(10))
        let error = #expect(throws: FileError.self) { try timeout.lock(file, at: path, operations) }
        #expect(error?.cause == .wouldBlock)
        #expect(clock.elapsed >= .seconds(10) && clock.elapsed < .seconds(10) + .milliseconds(30))
    }

    @Test("All waits of a call share one timeout, which the next call renews") func together() throws {
        let (operations, file, path, _) = try lockedFile()
        let clock = SlowClock()
        var timeout = clock.timeout(.seconds(1))
        for _ in 0..<3 { #expect(throws: FileError.self) { try timeout.lock(file, at: path, operations) } }
        #expect(clock.elapsed < .seconds(1) + .milliseconds(30))
        timeout.renew()
        #expect(throws: FileError.self) { try timeout.lock(file, at: path, operations) }
        #expect(clock.elapsed >= .seconds(2) && clock.elapsed < .seconds(2) + .milliseconds(60))
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
        #expect(clock.elapsed >= .seconds(2) && clock.elapsed < .seconds(2) + .milliseconds(120))
    }
}
