import Foundation
import Settle

/// From eleven files, the store's own and those of ten domains, to the first value.
enum DomainOpening {
    static func measure(keys count: Int, _ plan: Plan) async throws -> [RowResult] {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = try (0...10).map { number in
            let file = folder.appending(path: "file\(number).json")
            try JSONFile.write(keys: Samples.keys(count), to: file)
            return file
        }
        if let seconds = plan.profiledSeconds {
            let end = nanoseconds() + UInt64(seconds * 1e9)
            while nanoseconds() < end { _ = await open(files) }
            return []
        }
        let pairs = plan.pairs / 2
        let row = Row(
            id: "R27", subject: "open with ten more files of \(count) keys", limit: "reading and parsing them",
            goal: 1.5)
        let all = await plan.alternate(pairs: pairs, subject: { await open(files) }, limit: { read(files) })
        let rest = Row(
            id: "R27", subject: "the same", limit: "opening the one, reading and parsing the ten", goal: 1.5)
        let others = Array(files.dropFirst())
        let beside = await plan.alternate(
            pairs: pairs, subject: { await open(files) },
            limit: { await open(Array(files.prefix(1))) + read(others) })
        return [RowResult(row, all), RowResult(rest, beside)]
    }

    private static func open(_ files: [URL]) async -> Double {
        let domains = files.dropFirst().map { SearchList.Domain.suite($0.lastPathComponent, at: $0) }
        let start = nanoseconds()
        guard let store = try? await SettingsStore.open(at: files[0], searching: SearchList([.application] + domains)),
            let group = try? await store.group(FirstSample.self)
        else { return .nan }
        let value = group.value
        let end = nanoseconds()
        try? await store.close()
        return value == 0 ? Double(end - start) : .nan
    }

    private static func read(_ files: [URL]) -> Double {
        let start = nanoseconds()
        for file in files {
            guard let data = try? Data(contentsOf: file), (try? SettingValue(json: data)) != nil else { return .nan }
        }
        return Double(nanoseconds() - start)
    }
}
