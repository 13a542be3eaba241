import EtcdHTTP
import FleetMachines
import Foundation
import Settle

/// Many stores on one prefix, in one process, on one member: what each costs.
struct Stores {
    let count: Int

    func measure(_ transport: EtcdHTTPTransport) async throws {
        let bench = try await Bench(members: 1, transport)
        let station = LocalNetwork.current?.station(1)
        let writer = try await bench.open("/bench/many/")
        let settings = try await writer.group(Bench.Counter.self)
        try await settings.commit { settings.count = -1 }
        let (memory, bytes, start) = (bench.cluster.residentBytes(0), station?.traffic ?? 0, MonotonicTime.now())
        let stores = try await withThrowingTaskGroup(of: SettingsStore.self) { group in
            var stores: [SettingsStore] = []
            for number in 0..<count {
                // A few at a time, as a fleet does not start in one moment.
                if number >= 32, let store = try await group.next() { stores.append(store) }
                group.addTask { try await bench.open("/bench/many/") }
            }
            for try await store in group { stores.append(store) }
            return stores
        }
        var groups: [Bench.Counter] = []
        for store in stores { groups.append(try await store.group(Bench.Counter.self)) }
        try await reach(groups, 0, settings)
        let opened = MonotonicTime.now()
        let connections = Self.connections()
        Table.row("\(count) stores on one prefix are open and follow after", Table.milliseconds(opened - start))
        Table.row("  watches of the member", "\(try bench.cluster.watchCount(0))")
        Table.row("  connections of the process", "\(connections)")
        let grown = bench.cluster.residentBytes(0) - memory
        Table.row(
            "  the server's memory",
            "\(bench.cluster.residentBytes(0) >> 20) MiB, \((grown / count) >> 10) KiB for each store")
        if let station { Table.row("  bytes on the wire to open one", "\((station.traffic - bytes) / count)") }
        try await changes(groups, settings, station)
        try await idle(station)
        for store in stores { try await store.close() }
        try await writer.close()
    }

    private func changes(_ groups: [Bench.Counter], _ settings: Bench.Counter, _ station: Station?) async throws {
        var (times, bytes): ([Int], [Int]) = ([], [])
        for number in 1...10 {
            let (before, start) = (station?.traffic ?? 0, MonotonicTime.now())
            try await reach(groups, number, settings)
            times.append(MonotonicTime.now() - start)
            // What follows the last change, such as acknowledgements.
            try await Task.sleep(for: .milliseconds(200))
            bytes.append((station?.traffic ?? 0) - before)
        }
        Table.row(
            "  a commit until all \(count) have it",
            "\(Table.milliseconds(times.median)), longest \(Table.milliseconds(times.max() ?? 0))")
        if station != nil { Table.row("  bytes on the wire for each store and change", "\(bytes.median / count)") }
    }

    private func idle(_ station: Station?) async throws {
        guard let station else { return }
        let before = station.traffic
        try await Task.sleep(for: .seconds(20))
        Table.row("  bytes a second for each store when nothing changes", "\((station.traffic - before) / 20 / count)")
    }

    /// Commits a value, and waits until all have it.
    private func reach(_ groups: [Bench.Counter], _ value: Int, _ settings: Bench.Counter) async throws {
        await withTaskGroup(of: Void.self) { group in
            for counter in groups {
                group.addTask { for await count in counter.$count where count == value { return } }
            }
            group.addTask { try? await settings.commit { settings.count = value } }
        }
    }

    private static func connections() -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return target?.hasPrefix("socket:") ?? false
        }
    }
}
