import Settle
import SettleTesting
import Synchronization
import Testing

@testable import SettleHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(10))) struct AuditLogTests {
    private func lines(_ file: URL) throws -> [SettingValue] {
        try String(decoding: Data(contentsOf: file), as: UTF8.self).split(separator: "\n")
            .map { try SettingValue(json: Data($0.utf8)) }
    }

    /// Returns a sink that reports each line after another one has written it.
    private func reported(_ sink: AuditLog.Sink) -> (sink: AuditLog.Sink, lines: AsyncStream<String>) {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let reporting = AuditLog.Sink(
            write: {
                try sink.write($0)
                continuation.yield($0)
            }, written: sink.written)
        return (reporting, lines)
    }

    /// Waits for a line with a text.
    private func line(with text: String, in lines: AsyncStream<String>) async -> String? {
        await lines.first { $0.contains(text) }
    }

    private func keys(_ line: SettingValue) -> [SettingValue] {
        guard case .array(let changes)? = line["changes"] else { return [] }
        return changes.compactMap { $0["key"] }
    }

    @Test("Each change is a line, and a restart neither loses nor repeats one") func eachChangeLineRestart()
        async throws
    {
        let folder = try TemporaryFolder()
        let (file, audit) = (folder.url.appending(path: "app.json"), folder.url.appending(path: "audit.jsonl"))
        for round in 1...3 {
            let store = try await SettingsStore.open(at: file, configuration: .init(history: .keep()))
            let limits = try await store.group(APIProgram.Limits.self)
            // One while nobody watches, and one while the audit runs.
            try await store.commit(author: "dave") { limits.perSecond = 10 * round }
            let (sink, written) = reported(.file(audit))
            let running = Task { try await AuditLog(of: store, to: sink).run() }
            #expect(await line(with: round == 1 ? "begin" : "dave", in: written) != nil)
            try await store.commit(author: "erin") { limits.burst = 10 * round }
            #expect(await line(with: "erin", in: written) != nil)
            try await store.close()
            try await running.value
        }
        let lines = try lines(audit)
        #expect(lines.map { $0["event"] } == [.string("begin"), nil, nil, nil, nil, nil])
        let (dave, erin) = (SettingValue.string("dave"), SettingValue.string("erin"))
        #expect(lines.map { $0["author"] } == [nil, erin, dave, erin, dave, erin])
        let (first, second) = (SettingValue.string("perSecond"), SettingValue.string("burst"))
        #expect(lines.flatMap { keys($0) } == [second, first, second, first, second])
        #expect(Set(lines.compactMap { $0["token"] }).count == 6)
    }

    @Test("A secret is named without its value") func secretNamedWithoutValue() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.greeting = "begun" }
        let (sink, written) = reported(.lines { _ in })
        let running = Task { try await AuditLog(of: program.store, to: sink).run() }
        #expect(await line(with: "begin", in: written)?.contains("hunter2") == false)
        try await program.store.commit { program.app.admin.password = Secret("correct horse") }
        #expect(await line(with: "admin.password", in: written)?.contains("correct horse") == false)
        try await program.store.close()
        try await running.value
    }

    @Test("A sink that fails ends the run with its error") func sinkFailsEndsRun() async throws {
        struct Full: Error {}
        let program = try await APIProgram()
        try await program.store.commit { program.app.greeting = "begun" }
        let audit = AuditLog(of: program.store, to: .lines { _ in throw Full() })
        await #expect(throws: Full.self) { try await audit.run() }
    }

    @Test("A line that was cut off does not swallow the next one") func lineWasCutOff() async throws {
        let folder = try TemporaryFolder()
        let audit = folder.url.appending(path: "audit.jsonl")
        try Data("{\"time\": \"cut".utf8).write(to: audit)
        let program = try await APIProgram()
        try await program.store.commit { program.app.greeting = "begun" }
        let (sink, written) = reported(.file(audit))
        let running = Task { try await AuditLog(of: program.store, to: sink).run() }
        #expect(await written.first { _ in true }?.contains("not known") == true)
        try await program.store.close()
        try await running.value
        let lines = try String(decoding: Data(contentsOf: audit), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2 && lines.first == "{\"time\": \"cut")
        #expect(lines.last?.contains("not known") == true)
    }

    @Test("Lines that were cut off do not hide those before them") func linesWereCutOff() async throws {
        let folder = try TemporaryFolder()
        let (file, audit) = (folder.url.appending(path: "app.json"), folder.url.appending(path: "audit.jsonl"))
        for expected in ["begin", "dave"] {
            let store = try await SettingsStore.open(at: file, configuration: .init(history: .keep()))
            let limits = try await store.group(APIProgram.Limits.self)
            try await store.commit(author: "dave") { limits.perSecond += 1 }
            let (sink, written) = reported(.file(audit))
            let running = Task { try await AuditLog(of: store, to: sink).run() }
            #expect(await written.first { _ in true }?.contains(expected) == true)
            try await store.close()
            try await running.value
            let cutOff = "{\"time\": \"cut\n{\"time\": \"" + String(repeating: "x", count: 3 << 20)
            try (Data(contentsOf: audit) + Data(cutOff.utf8)).write(to: audit)
        }
    }

    @Test("A run after an error resumes with the line that failed, also without a file") func runAfterErrorResumes()
        async throws
    {
        let program = try await APIProgram()
        try await program.store.commit { program.app.greeting = "begun" }
        let disk = Disk()
        let (sink, written) = reported(.lines { _ in try disk.write() })
        let audit = AuditLog(of: program.store, to: sink)
        let failing = Task { try await audit.run() }
        #expect(await written.first { _ in true }?.contains("begin") == true)
        disk.isFull.store(true, ordering: .relaxed)
        try await program.store.commit { program.app.limits.burst = 5 }
        await #expect(throws: Disk.Full.self) { try await failing.value }
        disk.isFull.store(false, ordering: .relaxed)
        try await program.store.commit { program.app.limits.burst = 6 }
        let running = Task { try await audit.run() }
        for value in 5...6 {
            #expect(await written.first { _ in true }?.contains("\"new\":\(value)") == true)
        }
        try await program.store.close()
        try await running.value
    }

    private final class Disk: Sendable {
        struct Full: Error {}

        let isFull = Atomic(false)

        func write() throws {
            guard !isFull.load(ordering: .relaxed) else { throw Full() }
        }
    }
}
