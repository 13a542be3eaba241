import Foundation
import SettleTesting
import Testing

@testable import Settle
@testable import SettleHTTP

@Suite(.timeLimit(.minutes(10))) struct ServiceManagerTests {
    /// Not in the folder for temporary files, whose path leaves too little room on macOS: a socket's has 103 bytes.
    private let address = "/tmp/settle-\(UUID().uuidString)"

    /// A source whose changes cause no events.
    private final class SilentSource: DomainSource {
        private let count = LockedValue(0)

        func set(_ number: Int) { count.withLock { $0 = number } }

        func load() throws(StorageError) -> DomainContents {
            DomainContents(SettingTree(["burst": .integer(Int64(count.withLock { $0 }))]))
        }

        func place(of key: SettingKey) -> String { "a silent source" }
    }

    private func open(_ source: SilentSource) async throws -> (store: SettingsStore, limits: APIProgram.Limits) {
        source.set(1)
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.source("silent", source), .application])
        return (store, try await store.group(APIProgram.Limits.self))
    }

    @Test("The start, the end and a status are messages") func messages() throws {
        let receiver = try DatagramReceiver(at: address)
        let manager = ServiceManager(address: address)
        #expect(manager.isPresent)
        try manager.ready()
        try manager.report("Two\nlines.")
        try manager.stopping()
        #expect(receiver.receive() == "READY=1")
        #expect(receiver.receive() == "STATUS=Two lines.")
        #expect(receiver.receive() == "STOPPING=1")
        #expect(receiver.receive() == nil)
    }

    #if os(Linux)
        @Test("The name of an abstract socket begins with @") func abstractName() throws {
            let name = "@settle-\(UUID().uuidString)"
            let receiver = try DatagramReceiver(at: name)
            try ServiceManager(address: name).ready()
            #expect(receiver.receive() == "READY=1")
        }
    #endif

    @Test("Without a service manager, nothing is sent and nothing fails", arguments: [nil, ""])
    func none(address: String?) throws {
        let manager = ServiceManager(address: address)
        #expect(!manager.isPresent)
        try manager.ready()
        try manager.stopping()
    }

    @Test("A socket that is not there, or whose name is none, is an error that names it") func unreachable() throws {
        for address in [address, "notify", "vsock:2:1", "/" + String(repeating: "x", count: 200)] {
            let error = #expect(throws: ServiceManager.MessageError.self) {
                try ServiceManager(address: address).ready()
            }
            #expect(error?.description.contains("“\(address)” can't be notified: ") == true)
        }
    }

    @Test("A reload is reported with its time, and ends once the new values are in force") func reload() async throws {
        let source = SilentSource()
        let (store, limits) = try await open(source)
        let receiver = try DatagramReceiver(at: address)
        let begin = monotonicMicroseconds()
        source.set(2)
        #expect(limits.burst == 1)
        let manager = ServiceManager(address: address)
        try manager.ready()
        #expect(receiver.receive() == "READY=1")
        try await manager.reload(store)
        #expect(limits.burst == 2)
        let lines = try #require(receiver.receive()).split(separator: "\n")
        #expect(lines.count == 2 && lines.first == "RELOADING=1")
        let time = try #require(lines.last).split(separator: "=")
        #expect(time.first == "MONOTONIC_USEC")
        let digits = try #require(time.last)
        let microseconds = try #require(UInt64(digits))
        #expect((begin...monotonicMicroseconds()).contains(microseconds))
        #expect(receiver.receive() == "READY=1")
        try await store.close()
    }

    @Test("A reload without a receiver still reloads, and one of a closed store still ends") func failures()
        async throws
    {
        let source = SilentSource()
        let (store, limits) = try await open(source)
        let manager = ServiceManager(address: address)
        #expect(throws: ServiceManager.MessageError.self) { try manager.ready() }
        source.set(2)
        await #expect(throws: ServiceManager.MessageError.self) { try await manager.reload(store) }
        #expect(limits.burst == 2)
        try await store.close()
        let receiver = try DatagramReceiver(at: address)
        await #expect(throws: SettingsError.self) { try await manager.reload(store) }
        #expect(receiver.receive()?.hasPrefix("RELOADING=1\n") == true && receiver.receive() == "READY=1")
    }

    @Test("A reload before the start or during the stop is not reported, because READY=1 would be wrong")
    func reloadOutsideRunning() async throws {
        let source = SilentSource()
        let (store, limits) = try await open(source)
        let receiver = try DatagramReceiver(at: address)
        let manager = ServiceManager(address: address)
        source.set(2)
        try await manager.reload(store)
        #expect(limits.burst == 2)
        #expect(receiver.receive() == nil)
        try manager.ready()
        try manager.stopping()
        source.set(3)
        try await manager.reload(store)
        #expect(limits.burst == 3)
        #expect(receiver.receive() == "READY=1" && receiver.receive() == "STOPPING=1")
        #expect(receiver.receive() == nil)
        try await store.close()
    }

    @Test("A hang-up signal does not end the process, and is reported") func hangUp() async {
        // In a process of its own: what other tests have the process do at a signal is done for all of them.
        await #expect(processExitsWith: .success) {
            let signals = hangUpSignals()
            kill(getpid(), SIGHUP)
            #expect(await signals.first { _ in true } != nil)
        }
    }

    @Test("A line of the audit goes to the system's log, cut off after 8 KiB") func systemLog() throws {
        let receiver = try DatagramReceiver(at: address)
        let log = SystemLog(as: "app", at: address)
        try log.write("{\"keys\":[]}")
        let head = "<13>app[\(getpid())]: "
        #expect(receiver.receive() == head + "{\"keys\":[]}")
        try log.write(String(repeating: "x", count: 9_000))
        #expect(receiver.receive() == head + String(repeating: "x", count: 8_192 - head.utf8.count))
    }

    @Test("A line too long for the system's log is cut off, and an error names the log", arguments: [3_000, 100])
    func smallSystemLog(limit: Int) throws {
        let sent = LockedValue<[Int]>([])
        let log = SystemLog(as: "app", at: address) { bytes, _ throws(SystemError) in
            sent.withLock { $0.append(bytes.count) }
            if bytes.count > limit { throw SystemError.messageTooLong }
        }
        let line = String(repeating: "x", count: 5_000)
        if limit == 3_000 {
            try log.write(line)
        } else {
            let error = #expect(throws: SystemLog.MessageError.self) { try log.write(line) }
            #expect(error?.description.hasPrefix("The system's log at “\(address)” can't be written: ") == true)
        }
        let head = "<13>app[\(getpid())]: ".utf8.count
        let sizes = sent.withLock { $0 }
        #expect(sizes == (limit == 100 ? [head + 5_000, 4_096, 2_048, 1_024] : [head + 5_000, 4_096, 2_048]))
    }
}
