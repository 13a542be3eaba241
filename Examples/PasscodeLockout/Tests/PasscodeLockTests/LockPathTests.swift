import PasscodeLock
import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct LockPathTests {
    @Test("A lock can be at any path of its stores, and locks at different paths are independent")
    func paths() async throws {
        let stores = [
            try await SettingsStore.open(storage: InMemoryStorage()),
            try await SettingsStore.open(storage: InMemoryStorage()),
        ]
        let verifier = TestVerifier()
        var locks: [PasscodeLockout] = []
        for path in ["servers.eu", "servers.us", "servers-eu"] {
            let lock = try await PasscodeLockout(
                in: stores[0], and: stores[1], at: path, time: SimulatedTime(), verifier: verifier)
            #expect(try await lock.enrol(Passcode("right \(path)")) == .accepted)
            locks.append(lock)
        }
        for _ in 0..<5 { _ = await locks[0].unlock(with: try LockFixture.anotherWrong()) }
        #expect(await locks[0].status() == .delayed(remaining: .seconds(60), level: 1))
        #expect(await locks[1].unlock(with: try Passcode("right servers.us")) == .accepted)
        #expect(await locks[2].unlock(with: try Passcode("right servers-eu")) == .accepted)
        #expect(await locks[0].attemptCount == 5)
    }

    @Test("A lock can be at the root of its stores, or at a path in any script", arguments: ["", "ключ"])
    func names(_ path: String) async throws {
        let stores = [
            try await SettingsStore.open(storage: InMemoryStorage()),
            try await SettingsStore.open(storage: InMemoryStorage()),
        ]
        let lock = try await PasscodeLockout(
            in: stores[0], and: stores[1], at: path, time: SimulatedTime(), verifier: TestVerifier())
        #expect(try await lock.enrol(LockFixture.right) == .accepted)
        #expect(await lock.unlock(with: try LockFixture.wrong) == .wrong(.ready))
    }
}
