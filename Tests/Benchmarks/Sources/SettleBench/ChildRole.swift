import ArgumentParser
import Foundation
import Settle

/// What a child does until its input ends. It sends eight-byte numbers to its parent, the first one when it is ready.
enum ChildRole: String, CaseIterable, ExpressibleByArgument {
    /// Sends the time at which one of its tasks receives a value of a setting.
    case follower
    /// The limit: the same for bytes appended to a plain file.
    case logFollower
    /// Keeps a store open.
    case idler
    /// Keeps a store open and writes to it from time to time.
    case writer

    func play(_ file: URL) async throws {
        switch self {
        case .follower: try await follow(file)
        case .logFollower: try await followLog(file)
        case .idler: try await share(file, writesEvery: nil)
        case .writer: try await share(file, writesEvery: 20_000)
        }
    }

    private func follow(_ file: URL) async throws {
        let settings = try await SettingsStore.open(at: file).group(BenchSettings.self)
        Task.detached {
            for await _ in settings.$count { Self.send(nanoseconds()) }
        }
        await Self.waitForEndOfInput()
    }

    private func followLog(_ file: URL) async throws {
        let follower = try LogFollower(file)
        let source = ContinuationBroadcast()
        Task.detached {
            await source.listen { _ in Self.send(nanoseconds()) }
        }
        Thread.detachNewThread {
            while true { source.publish(follower.next()) }
        }
        Self.send(0)
        await Self.waitForEndOfInput()
    }

    private func share(_ file: URL, writesEvery microseconds: UInt32?) async throws {
        let store = try await SettingsStore.open(at: file)
        let settings = try await store.group(BenchSettings.self)
        Self.send(0)
        if let microseconds {
            Thread.detachNewThread {
                var isShort = false
                while true {
                    usleep(microseconds)
                    isShort.toggle()
                    settings.name = isShort ? "short" : Samples.name
                }
            }
        }
        await Self.waitForEndOfInput()
        try await store.close()
    }

    private static func send(_ number: UInt64) {
        var number = number
        _ = write(1, &number, 8)
    }

    private static func waitForEndOfInput() async {
        await onOwnThread {
            var byte: UInt8 = 0
            while read(0, &byte, 1) > 0 {}
        }
    }
}
