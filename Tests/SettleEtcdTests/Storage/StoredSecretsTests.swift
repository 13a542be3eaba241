import Foundation
import Settle
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// Where the bytes of a secret are, when a store in a cluster has a folder of secrets.
@Suite(.timeLimit(.minutes(10))) struct StoredSecretsTests {
    private struct Login: SettingsGroup {
        @Setting(storedIn: .secrets) var token: Secret<String>?
        @Setting var user = ""
    }

    private let fixture = EtcdFixture()
    private let home: TemporaryFolder

    init() throws {
        home = try TemporaryFolder()
    }

    /// The paths of all files of this machine with a text.
    private func files(with text: String) throws -> [String] {
        let paths = try #require(FileManager.default.enumerator(atPath: home.url.path))
        var found: [String] = []
        for case let path as String in paths {
            // A folder has no bytes, nor has a file that has just been removed.
            let data = try? Data(contentsOf: home.url.appending(path: path))
            if data?.range(of: Data(text.utf8)) != nil { found.append(path) }
        }
        return found
    }

    /// Whether the cluster has, or has had, a value with a text.
    private func cluster(has text: String) -> Bool {
        fixture.cluster.state.withLock { state in
            state.allEvents.values.joined().contains { event in
                guard let value = event.value else { return false }
                return String(decoding: value.bytes, as: UTF8.self).contains(text)
            }
        }
    }

    @Test("Neither the cluster nor the local copy has a secret of the secret store, with and without a connection")
    func bytes() async throws {
        let (storage, transport) = fixture.client(
            localCopy: FileStorage(at: home.url.appending(path: "copy.json")))
        let store = try await SettingsStore.open(
            storage: storage, searching: [.secretStore(in: home.url.appending(path: "secrets")), .application],
            configuration: .init(history: .keep(), clock: fixture.clock))
        let login = try await store.group(Login.self)
        try await store.domains[.secretStore].update { login.token = Secret("hunter2-1") }
        try await login.commit { login.user = "carol" }
        await #expect(throws: SettingsError.self) {
            try await login.commit { login.token = Secret("hunter2-refused") }
        }
        #expect(cluster(has: "carol") && !cluster(has: "hunter2"))

        transport.setAll(.refused)
        login.user = "dave"
        try await store.domains[.secretStore].update { login.token = Secret("hunter2-2") }
        await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(try !files(with: "dave").isEmpty)
        #expect(try files(with: "hunter2") == ["secrets/token"])

        transport.setAll(nil)
        try await store.flush()
        #expect(cluster(has: "dave") && !cluster(has: "hunter2"))
        try await store.close()
        #expect(try files(with: "hunter2-2") == ["secrets/token"])
        #expect(try files(with: "hunter2") == ["secrets/token"])
    }
}
