import ArgumentParser
import EtcdHTTP
import Settle
import SettleEtcd

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where the settings are.
struct Cluster: ParsableArguments {
    @Option(help: "The client URLs of the members, separated by commas.")
    var endpoints = "http://127.0.0.1:2379"

    @Option(help: "The prefix of the settings' keys.")
    var prefix = "/fleet/"

    @Option(help: "The machine whose own settings to use; they come before those of the fleet.")
    var host: String?

    @Option(help: "The group of machines whose own settings to use, such as the canaries.")
    var group: String?

    @Option(help: "The user of etcd. The password is that in the variable FLEET_PASSWORD.")
    var user: String?

    @Option(help: "The file with the certificates that sign those of the members.")
    var authority: String?

    @Option(help: "The file with the client's certificate.")
    var certificate: String?

    @Option(help: "The file with the client's key.")
    var key: String?

    @Option(help: "The file with the last known values, and with writes that could not be sent.")
    var localCopy: String?

    /// Whether the settings of a machine or a group are meant.
    var isLayer: Bool { host != nil || group != nil }

    /// The prefix of the settings of a machine or a group, if these are meant.
    var layer: String? { isLayer ? configuration().prefix : nil }

    /// The same cluster, with the settings of the fleet.
    var ofFleet: Cluster {
        var cluster = self
        (cluster.host, cluster.group) = (nil, nil)
        return cluster
    }

    func validate() throws {
        guard host == nil || group == nil else { throw ValidationError("--host and --group exclude each other.") }
        guard (certificate == nil) == (key == nil) else {
            throw ValidationError("--certificate and --key must be given together.")
        }
        guard user == nil || ProcessInfo.processInfo.environment["FLEET_PASSWORD"] != nil else {
            throw ValidationError("Set FLEET_PASSWORD to the password of “\(user ?? "")”.")
        }
    }

    /// - Parameter isImpatient: Whether to give a member up after a second, and a lock's holder after three, as a
    ///   demonstration does.
    func configuration(isImpatient: Bool = false) -> EtcdConfiguration {
        var configuration = EtcdConfiguration(
            endpoints: endpoints.split(separator: ",").map { String($0) }, prefix: prefix)
        if let user, let password = ProcessInfo.processInfo.environment["FLEET_PASSWORD"] {
            configuration.credentials = .init(name: user, password: password)
        }
        if isImpatient {
            configuration.deadline = .seconds(1)
            configuration.silence = .seconds(1)
            configuration.reconnectDelay = .milliseconds(100)...Duration.seconds(1)
            configuration.lockTimeToLive = .seconds(3)
            configuration.lockMargin = .seconds(1)
        }
        return host.map(configuration.forHost) ?? group.map(configuration.forGroup) ?? configuration
    }

    /// Opens the settings to write them.
    ///
    /// - Parameter work: Is also given the storage with the schema, which is beside the settings of the fleet.
    func openToWrite(_ work: (SettingsStore, EtcdStorage) async throws -> Void) async throws {
        try await openWithFleet { store, _, fleet in try await work(store, fleet) }
    }

    /// Opens the settings for as long as some work lasts, also those of the fleet if they are others.
    ///
    /// - Parameter work: Is given the store, its storage, and the storage of the fleet, beside which the schema and the
    ///   reports of the machines are.
    func openWithFleet(
        start: EtcdConfiguration.Start = .withLastKnownValues, usesLocalCopy: Bool = true,
        _ work: (SettingsStore, EtcdStorage, EtcdStorage) async throws -> Void
    ) async throws {
        guard isLayer else {
            return try await open(start: start, usesLocalCopy: usesLocalCopy) { try await work($0, $1, $1) }
        }
        try await ofFleet.open(start: start, usesLocalCopy: false) { _, fleet in
            try await open(start: start, usesLocalCopy: usesLocalCopy) { try await work($0, $1, fleet) }
        }
    }

    /// Everything that etcd has. What is written says also which program and which user it was.
    private static let history = HistoryPolicy.keep(transactions: 100_000, bytes: 64 << 20, for: .days(36_500))

    /// Opens the settings for as long as some work lasts.
    ///
    /// - Parameters:
    ///   - usesLocalCopy: Whether to take what waits in the local copy for one's own, and send it.
    ///   - layers: Settings to search before these, highest first.
    ///   - wallClock: Dates what is written; `nil` for the system's.
    func open<Result: Sendable>(
        impatient isImpatient: Bool = false, start: EtcdConfiguration.Start = .withLastKnownValues,
        usesLocalCopy: Bool = true, searching layers: [(name: DomainName, cluster: Cluster)] = [],
        wallClock: (@Sendable () -> Double)? = nil, _ work: (SettingsStore, EtcdStorage) async throws -> Result
    ) async throws -> Result {
        var tls = EtcdHTTPTransport.TLS(authority: authority)
        if let certificate, let key { tls.certificate = (chain: certificate, key: key) }
        let transport = try EtcdHTTPTransport(tls: tls)
        let result: Swift.Result<Result, any Error>
        do {
            let copy = usesLocalCopy ? localCopy.map { FileStorage(at: URL(filePath: $0)) } : nil
            var configuration = configuration(isImpatient: isImpatient)
            configuration.start = start
            configuration.wallClock = wallClock
            let storage = EtcdStorage(configuration, transport: transport, localCopy: copy)
            let domains = layers.map { layer in
                SearchList.Domain.etcd(
                    layer.name, layer.cluster.configuration(isImpatient: isImpatient), transport: transport)
            }
            let store = try await SettingsStore.open(
                storage: storage, searching: SearchList(domains + [.application]),
                configuration: .init(history: Self.history))
            let issues = store.issues
            let complaints = Task { for await issue in issues { Terminal.complain("fleet: \(issue)") } }
            defer { complaints.cancel() }
            do {
                let value = try await work(store, storage)
                try await store.close()
                result = .success(value)
            } catch {
                try? await store.close()
                throw error
            }
        } catch {
            result = .failure(error)
        }
        try await transport.shutdown()
        return try result.get()
    }
}
