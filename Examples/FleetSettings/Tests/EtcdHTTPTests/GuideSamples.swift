import Foundation
import Settle
import SettleEtcd
import SettleInterchange

// Samples of the guides about fleets that nothing else compiles as they stand, each in the context that its page
// describes. Nothing calls them: the tests of SettleEtcd have what they do.

private func show<each Value>(_ values: repeat each Value) {}

private struct Limits: SettingsGroup {
    @Setting(in: 0...10_000) var requests = 100
}

/// The first page.
private enum FirstSample {
    static func share(over transport: any EtcdTransport, copiedTo file: URL) async throws {
        let configuration = EtcdConfiguration(
            endpoints: ["https://10.0.0.1:2379", "https://10.0.0.2:2379", "https://10.0.0.3:2379"],
            prefix: "/fleet/limits/")
        let storage = EtcdStorage(configuration, transport: transport, localCopy: FileStorage(at: file))
        let store = try await SettingsStore.open(storage: storage)
        let limits = try await store.group(Limits.self)

        try await limits.commit { limits.requests = 500 }
        for await requests in limits.$requests { show(requests) }
    }
}

private enum AFleet {
    static func open(_ members: [String], over transport: any EtcdTransport) async throws -> SettingsStore {
        let fleet = EtcdConfiguration(endpoints: members, prefix: "/app/")
        let store = try await SettingsStore.open(
            storage: EtcdStorage(fleet, transport: transport),
            searching: [
                .etcd("host", fleet.forHost("web-1"), transport: transport),
                .etcd("canary", fleet.forGroup("canary"), transport: transport),
                .application,
            ])
        return store
    }

    static func describe(_ store: SettingsStore, in storage: EtcdStorage) async throws {
        try await storage.storeSchema(store.file.schema().jsonSchema, version: "1.4")
    }

    static func decide(on storage: EtcdStorage) async {
        for lost in await storage.lostTransactions() {
            print("\(lost.values) was given up for \(lost.stored)")
            await storage.forget(lost)
        }
    }

    static func undo(_ token: ChangeToken, in storage: EtcdStorage) async throws {
        let store = try await SettingsStore.open(storage: storage, configuration: .init(history: .keep()))
        for try await entry in store.history.entries(limit: 20) { print(entry) }
        let result = try await store.history.undo(token, author: "carol")
        let earlier = try await store.history.values(at: token)
        show(result, earlier)
    }

    static func report(_ store: SettingsStore, to storage: EtcdStorage, as hostName: String) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await storage.report(store, as: hostName) }
        }
    }
}
