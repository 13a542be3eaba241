import Foundation
import Observation
import Settle
import Synchronization

/// The settings that are measured.
struct BenchSettings: SettingsGroup {
    @Setting var count = 1
    @Setting var name = Samples.name
    @Setting var endpoint = Samples.endpoint
}

/// A value of four fields.
struct Endpoint: Codable, Sendable, Equatable {
    var host: String
    var port: Int
    var retries: Int
    var isSecure: Bool
}

enum Samples {
    /// 32 bytes, more than a `String` stores inline.
    static let name = "abcdefghijklmnopqrstuvwxyz012345"
    static let endpoint = Endpoint(host: "settings.example.com", port: 443, retries: 3, isSecure: true)

    static func keys(_ count: Int) -> [String] {
        (0..<count).map(key)
    }

    /// A name of 21 bytes.
    static func key(_ index: Int) -> String {
        let number = String(index)
        return "setting_of_the_a" + String(repeating: "0", count: 5 - min(5, number.count)) + number
    }
}

/// The first of the settings in a file of samples.
struct FirstSample: SettingsGroup {
    @Setting("setting_of_the_a00000") var value = -1
}

/// What one would write without a settings library.
@Observable
final class PlainModel {
    var count = 1
    var name = Samples.name
}

/// A value behind a `Mutex`.
final class Guarded<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) {
        mutex = Mutex(value)
    }

    @inline(__always)
    var value: Value { mutex.withLock { $0 } }

    @inline(__always)
    func withLock<Output: Sendable>(_ body: (inout Value) -> Output) -> Output {
        mutex.withLock { body(&$0) }
    }
}

/// A store that saves to a file in a temporary folder, as in an app, with its settings.
struct SavingStore: Sendable {
    let store: SettingsStore
    let settings: BenchSettings
    private let folder: URL
    var file: URL { folder.appending(path: "settings.json") }

    init(hasTenDomains: Bool = false) async throws {
        folder = try temporaryFolder()
        store = try await SettingsStore.open(
            at: folder.appending(path: "settings.json"),
            searching: hasTenDomains ? try TenDomains.list(keys: 100, in: folder) : nil)
        settings = try await store.group(BenchSettings.self)
    }

    func close() async throws {
        try await store.close()
        try FileManager.default.removeItem(at: folder)
    }
}

func temporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "settle-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
}

/// Runs blocking code on its own thread, so that the cooperative threads stay free for the subscribers.
func onOwnThread<Output: Sendable>(_ body: @escaping @Sendable () -> Output) async -> Output {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

/// The same for code that may throw.
func tryOnOwnThread<Output: Sendable>(_ body: @escaping @Sendable () throws -> Output) async throws -> Output {
    try await onOwnThread { Result(catching: body) }.get()
}
