import ArgumentParser
import EtcdHTTP
import LiveServing
import Settle
import SettleEtcd

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where the settings are, besides arguments and variables.
struct FileOptions: ParsableArguments {
    @Option(help: "The file with the settings, which is created if it is missing.")
    var file = "settings.json"

    @Option(help: "A file with variables, such as LIVE_LIMITS_BURST=50. It is read again when it changes.")
    var envFile: String?

    @Option(help: "A folder with a file for each secret, such as admin.token; by default systemd's credentials.")
    var secrets: String?

    @Option(help: "An administrator's folder; the settings in it are locked.")
    var managed: String?

    @Option(help: "Client URLs of an etcd cluster, separated by commas, which stores the settings instead of the file.")
    var etcdEndpoints: String?

    @Option(help: "The prefix of the keys in the cluster.")
    var etcdPrefix = "/live-service/"

    /// The option that says where the settings are.
    var location: String {
        etcdEndpoints.map { "--etcd-endpoints \($0) --etcd-prefix \(etcdPrefix)" } ?? "--file \(file)"
    }

    /// The file with the key of the panel's sessions, beside the settings.
    var panelKey: URL { URL(filePath: file).deletingLastPathComponent().appending(path: ".panel-key") }

    /// Opens the store, runs a closure, and closes the store.
    ///
    /// - Parameter keepsLastKnown: Whether the values of a cluster are kept beside the file, for a start without it.
    ///   Only one process may do that.
    func withStore<Result>(
        arguments: [String] = [], history: HistoryPolicy = .unchanged, keepsLastKnown: Bool = false,
        _ body: (SettingsStore) async throws -> Result
    ) async throws -> Result {
        let list = SearchList.service(
            arguments: arguments, environmentFile: envFile.map { URL(filePath: $0) },
            secrets: secrets.map { URL(filePath: $0) }, managed: managed.map { URL(filePath: $0) })
        guard let etcdEndpoints else {
            let store = try await SettingsStore.open(
                at: URL(filePath: file), searching: list, configuration: .init(history: history))
            return try await Self.closing(store, after: body)
        }
        let configuration = EtcdConfiguration(
            endpoints: etcdEndpoints.split(separator: ",").map { String($0) }, prefix: etcdPrefix)
        let transport = try EtcdHTTPTransport()
        do {
            let storage = EtcdStorage(
                configuration, transport: transport, localCopy: keepsLastKnown ? FileStorage(at: lastKnown) : nil)
            let store = try await SettingsStore.open(storage: storage, searching: list)
            let result = try await Self.closing(store, after: body)
            try await transport.shutdown()
            return result
        } catch {
            try await transport.shutdown()
            throw error
        }
    }

    /// Beside the file, such as `settings.last-known.json`.
    private var lastKnown: URL {
        let url = URL(filePath: file)
        return url.deletingPathExtension().appendingPathExtension("last-known.json")
    }

    /// Closing a store that its service has closed does nothing.
    private static func closing<Result>(
        _ store: SettingsStore, after body: (SettingsStore) async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await body(store)
            try await store.close()
            return result
        } catch {
            try? await store.close()
            throw error
        }
    }
}
