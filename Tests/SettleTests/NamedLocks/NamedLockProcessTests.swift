import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Named locks between real processes.
@Suite(.timeLimit(.minutes(10))) struct NamedLockProcessTests {
    @Test("A named lock is released when the process that holds it is killed")
    func killedInside() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "settings.json").path
        let asking = Task { try await Self.comeInAfterTheOther(path) }
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let store = try await SettingsStore.open(at: URL(filePath: path))
            let settings = try await store.group(CounterSettings.self)
            try await store.withLock {
                // Holds the lock until the other process waits for it.
                try await settings.commit { settings.count = 1 }
                for await other in settings.$other where other == 1 { break }
                try await settings.commit { settings.count = 2 }
                kill(getpid(), SIGKILL)
            }
        }
        #expect(try await asking.value == 2)
    }

    /// - Returns: The count seen while holding the lock.
    private static func comeInAfterTheOther(_ path: String) async throws -> Int {
        let store = try await SettingsStore.open(at: URL(filePath: path))
        let settings = try await store.group(CounterSettings.self)
        for await count in settings.$count where count == 1 { break }
        let inside = Task {
            // The other process's last commit may still be on its way; a commit sees it.
            try await store.withLock { try await settings.commit { settings.count } }
        }
        try await eventually("the lock is requested") { await store.lockWaitCount > 0 }
        try await settings.commit { settings.other = 1 }
        let count = try await inside.value
        try await store.close()
        return count
    }
}
