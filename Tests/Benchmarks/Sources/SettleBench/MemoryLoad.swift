import ArgumentParser
import Configuration
import Foundation
import Settle

/// What a process fills its memory with.
enum MemoryLoad: String, CaseIterable, ExpressibleByArgument {
    case store, dictionary, configuration, subscribers, parkedTasks, streams

    static let keyCount = 100_000
    private static let subscriberCount = 10_000

    /// Resident bytes that one key or one subscriber adds.
    func bytesPerItem(_ file: URL) async throws -> Double {
        switch self {
        case .store: try await Self.store(file)
        case .dictionary: Self.dictionary()
        case .configuration: Self.configuration()
        case .subscribers: try await Self.subscribers()
        case .parkedTasks: Self.subscribers(of: ContinuationBroadcast())
        case .streams: Self.subscribers(of: StreamBroadcast())
        }
    }

    /// Opens a file with many keys and reads one, as an app does. Whatever reading the file leaves in memory counts.
    private static func store(_ file: URL) async throws -> Double {
        let before = residentBytes()
        let store = try await SettingsStore.open(at: file)
        let value = try store.keys.value(forKey: Samples.key(keyCount - 1), as: Int.self)
        let after = residentBytes()
        try await store.close()
        return value == keyCount - 1 ? Double(after - before) / Double(keyCount) : .nan
    }

    private static func dictionary() -> Double {
        perKey {
            var values: [String: Int] = [:]
            for index in 0..<keyCount { values[Samples.key(index)] = index }
            return values
        }
    }

    private static func configuration() -> Double {
        perKey {
            var values: [AbsoluteConfigKey: ConfigValue] = [:]
            for index in 0..<keyCount {
                values[AbsoluteConfigKey([Samples.key(index)], context: [:])] = ConfigValue(
                    .int(index), isSecret: false)
            }
            return InMemoryProvider(values: values)
        }
    }

    private static func perKey<Holder>(_ make: () -> Holder) -> Double {
        let before = residentBytes()
        let holder = make()
        let after = residentBytes()
        return withExtendedLifetime(holder) { Double(after - before) / Double(keyCount) }
    }

    private static func subscribers() async throws -> Double {
        let source = try await SettingBroadcast()
        let bytes = subscribers(of: source)
        try await source.fixture.close()
        return bytes
    }

    private static func subscribers(of source: some Broadcast) -> Double {
        // Starts the threads.
        let few = Audience(of: source, count: 10)
        let before = residentBytes()
        let many = Audience(of: source, count: subscriberCount)
        let after = residentBytes()
        return withExtendedLifetime((few, many)) { Double(after - before) / Double(subscriberCount) }
    }
}

/// The bytes of this process in physical memory.
private func residentBytes() -> Int {
    #if os(Linux)
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    #else
        var info = mach_task_basic_info()
        var count = mach_msg_type_number_t(MemoryLayout<mach_task_basic_info>.size / MemoryLayout<natural_t>.size)
        let result = withUnsafeMutablePointer(to: &info) {
            $0.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
                task_info(mach_task_self_, task_flavor_t(MACH_TASK_BASIC_INFO), $0, &count)
            }
        }
        return result == KERN_SUCCESS ? Int(info.resident_size) : 0
    #endif
}
