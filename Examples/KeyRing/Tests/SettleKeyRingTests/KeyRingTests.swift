import Foundation
import Settle
import SettleKeyRing
import Testing

private struct ServiceSettings: SettingsGroup {
    @Setting(storedIn: .secrets) var token: Secret<String>?
    @Setting(storedIn: .secrets) var pin = Secret(0)
}

/// Only where the process may use key rings: most containers may not.
@Suite(.serialized, .timeLimit(.minutes(5))) struct KeyRingTests {
    /// A key ring with keys that no other test has, which are removed at the end.
    private func withRing(_ ring: KeyRing.Ring, _ body: (KeyRing) async throws -> Void) async throws {
        let secrets = KeyRing(service: "settle-test-\(UUID().uuidString)", ring: ring)
        guard secrets.isReachable else {
            // Then it says so, and invents nothing.
            #expect(throws: StorageError.self) { try secrets.setSecret("x", forKey: "token") }
            return
        }
        do {
            try await body(secrets)
        } catch {
            for key: SettingKey in ["token", "pin"] { try? secrets.setSecret(nil, forKey: key) }
            throw error
        }
        for key: SettingKey in ["token", "pin"] { try secrets.setSecret(nil, forKey: key) }
    }

    @Test("A secret is read as it was written, replaced and removed", arguments: KeyRing.Ring.allCases)
    func secrets(_ ring: KeyRing.Ring) async throws {
        try await withRing(ring) { secrets in
            #expect(try secrets.secret(forKey: "token") == nil)
            try secrets.setSecret(nil, forKey: "token")
            for text in ["hunter2", "x\n", "\u{1F511}", String(repeating: "long", count: 1_000)] {
                try secrets.setSecret(text, forKey: "token")
                #expect(try secrets.secret(forKey: "token") == text)
            }
            try secrets.setSecret("other", forKey: "pin")
            try secrets.setSecret(nil, forKey: "token")
            #expect(try secrets.secret(forKey: "token") == nil && secrets.secret(forKey: "pin") == "other")
            for text in ["", String(repeating: "x", count: 32_768)] {
                let error = #expect(throws: StorageError.self) { try secrets.setSecret(text, forKey: "token") }
                #expect(error?.code == .unsupportedValue)
            }
        }
    }

    @Test("A thread that has never used the ring finds a secret", arguments: KeyRing.Ring.allCases)
    func threads(_ ring: KeyRing.Ring) async throws {
        try await withRing(ring) { secrets in
            try secrets.setSecret("hunter2", forKey: "token")
            let found = await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<String?, any Error>, Never>) in
                Thread.detachNewThread {
                    continuation.resume(returning: Result { try secrets.secret(forKey: "token") })
                }
            }
            #expect(try found.get() == "hunter2")
        }
    }

    @Test("A key with a null is refused, because the kernel would cut it off", arguments: KeyRing.Ring.allCases)
    func null(_ ring: KeyRing.Ring) {
        let secrets = KeyRing(service: "settle-test-\(UUID().uuidString)", ring: ring)
        for secret in ["x", nil] {
            let error = #expect(throws: StorageError.self) { try secrets.setSecret(secret, forKey: "a\0b") }
            #expect(error?.code == .unsupportedValue)
        }
        #expect(throws: StorageError.self) { try secrets.secret(forKey: "a\0b") }
    }

    @Test("The settings of a store are kept in the ring, and found by the next store", arguments: KeyRing.Ring.allCases)
    func store(_ ring: KeyRing.Ring) async throws {
        try await withRing(ring) { secrets in
            let storage = InMemoryStorage()
            for number in 1...3 {
                let store = try await SettingsStore.open(
                    storage: InMemoryStorage(sharing: storage), searching: [.secretStore(secrets), .application])
                let settings = try await store.group(ServiceSettings.self)
                #expect(settings.pin.revealed == number - 1)
                try await store.domains[.secretStore].update {
                    settings.token = Secret("hunter2")
                    settings.pin = Secret(number)
                }
                #expect(settings.token?.revealed == "hunter2" && settings.pin.revealed == number)
                try await store.close()
            }
            #expect(storage.tree == SettingTree())
        }
    }
}
