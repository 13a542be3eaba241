import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Files that Kubernetes mounts from a ConfigMap or a Secret: links through `..data`, which leads to another folder
/// after each change. A folder of keys is tested in `SecretsFolderSourceTests`, that a managed file is no link in
/// `ManagedDomainSourceTests`.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct MountedFileTests {
    private let volume: MountedVolume

    init() throws {
        volume = try MountedVolume()
    }

    private func publish(_ count: Int, links: Bool = false) throws {
        try volume.publish(
            ["settings.json": "{\n  \"count\": \(count)\n}", ".env": "APP_COUNT=\(count)\n"], links: links)
    }

    /// A settings file, or one with variables.
    private func source(_ name: String, calls: any SystemCalls = POSIXSystemCalls()) throws -> any DomainSource {
        let (file, watching) = (volume.folder.appending(path: name), SystemFileWatching.shared)
        guard name == ".env" else { return FileDomainSource(at: file, calls: calls, watching: watching) }
        let source = try EnvironmentSource(prefix: "APP", file: file, calls: calls, watching: watching)
        _ = source.declare(["count"], try source.look(for: ["count"]))
        return source
    }

    private func value(_ count: Int, in name: String) -> SettingValue {
        name == ".env" ? .string("\(count)") : .integer(Int64(count))
    }

    @Test(
        "A hundred switches in a row: no load goes back, and the last one is reported",
        arguments: ["settings.json", ".env"])
    func switches(name: String) async throws {
        try publish(0, links: true)
        let source = try source(name)
        _ = try await source.load()
        let changes = ReportedChanges(of: source)
        let switching = Task.detached { for number in 1...100 { try publish(number) } }
        var last = 0
        await changes.load { result in
            guard let tree = try? result.get().tree else {
                // While a switch follows each reading, there is no moment to tell of.
                return false
            }
            let found = (last...100).first { value($0, in: name) == tree["count"] }
            #expect(found != nil, "\(String(describing: tree["count"])) after \(last)")
            last = found ?? last
            return last == 100
        }
        try await switching.value
        let line = name == ".env" ? 1 : 2
        #expect(source.place(of: "count") == "“\(volume.path)/\(name)”, line \(line)")
        await source.close()
    }

    @Test(
        "A switch in the middle of a load begins the load anew", arguments: ["settings.json", ".env"],
        [SystemCall.Kind.read, .open, .close])
    func switchWithin(name: String, kind: SystemCall.Kind) async throws {
        try publish(1, links: true)
        let calls = FaultySystemCalls()
        let source = try source(name, calls: calls)
        calls.beforeNext(kind) { try? publish(2) }
        #expect(try await source.load().tree["count"] == value(2, in: name))
    }

    @Test("A volume that is filled late, emptied, and broken by one generation", arguments: ["settings.json", ".env"])
    func generations(name: String) async throws {
        let source = try source(name)
        #expect(try await source.load().tree.root.isEmpty)
        let changes = ReportedChanges(of: source)
        try publish(1, links: true)
        try await changes.load { $0["count"] == value(1, in: name) }
        try volume.publish([name: "'{"])
        let error = try #require(await changes.loadUntilItFails())
        #expect(error.description.contains("“\(volume.path)/\(name)” can't be used as it is. Line 1, column 1"))
        try volume.publish([:])
        try await changes.load { $0.root.isEmpty }
        try publish(2)
        try await changes.load { $0["count"] == value(2, in: name) }
        await source.close()
    }
}
