import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct DomainSourceConformanceTests {
    private let fault = StorageError(.unreadable, "It can't be read.")

    @Test("The source of tests keeps all promises") func manual() async throws {
        try await DomainSourceConformance.check(
            make: { _ in ManualDomainSource() },
            change: { source, tree in (source as? ManualDomainSource)?.set(tree) },
            setFault: { [fault] source, isFaulty in
                if isFaulty { (source as? ManualDomainSource)?.fail(with: fault) }
                return true
            })
    }

    @Test(
        "A file of another program keeps all promises",
        arguments: [FileFormat.json, .propertyListXML, .propertyListBinary])
    func file(format: FileFormat) async throws {
        try await withTemporaryFolder { folder in
            var file = folder
            try await DomainSourceConformance.check(
                make: { number in
                    file = folder.appending(path: "\(number)/settings")
                    return FileDomainSource(at: file)
                },
                change: { _, tree in try write(tree, to: file, as: format) },
                setFault: { _, isFaulty in
                    if isFaulty { try Data("{".utf8).write(to: file) }
                    return true
                })
        }
    }

    @Test("A file of environment variables keeps all promises") func environmentFile() async throws {
        try await withTemporaryFolder { folder in
            var file = folder
            let keys: [SettingKey] = ["name", "group.inner", "group.other", "new"]
            try await DomainSourceConformance.check(
                make: { number in
                    file = folder.appending(path: "\(number)/.env")
                    let source = try EnvironmentSource(prefix: "APP", file: file)
                    #expect(source.declare(keys, try source.look(for: keys)) == nil)
                    return source
                },
                change: { _, tree in
                    let lines = texts(in: tree).map { key, text in
                        let value = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                        return "APP_\(key.uppercased().replacing(".", with: "_"))=\"\(value)\"\n"
                    }
                    try FileManager.default.createDirectory(
                        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                    try Data(lines.joined().utf8).write(to: file)
                },
                setFault: { _, isFaulty in
                    if isFaulty { try Data("=".utf8).write(to: file) }
                    return true
                })
        }
    }

    @Test("An administrator's file keeps all promises") func managed() async throws {
        let disk = SimulatedDisk()
        disk.makeStableFolder("/etc/settle/managed")
        for path in ["/etc", "/etc/settle", "/etc/settle/managed"] { try disk.setPermissions(at: path, to: 0o755) }
        let watching = ManualFileWatching()
        @Sendable func set(_ bytes: [UInt8], of number: Int) throws {
            let path = "/etc/settle/managed/\(number).json"
            try? disk.removeFile(path)
            if !bytes.isEmpty {
                let file = try disk.openFile(path, .createNew(permissions: 0o644))
                _ = try bytes.withUnsafeBytes { (bytes) throws(SystemError) in
                    try disk.writeBytes(file, at: 0, from: bytes)
                }
                try disk.closeFile(file)
            }
            watching.tell(FileEvents(.replaced, files: [FilePath(path)]))
        }
        var current = 0
        try await DomainSourceConformance.check(
            make: { number in
                current = number
                return ManagedDomainSource(
                    "\(number)", in: FilePath("/etc/settle/managed"), trustedUser: nil, calls: disk,
                    watching: watching)
            },
            change: { _, tree in
                try set(tree.root.isEmpty ? [] : FileFormat.json.encode(tree), of: current)
            },
            setFault: { _, isFaulty in
                if isFaulty { try set(Array("{".utf8), of: current) }
                return true
            })
        #expect(disk.openFileCount == 0)
    }

    @Test("A folder with a file for each key keeps all promises") func secrets() async throws {
        try await withTemporaryFolder { folder in
            var current = folder
            try await DomainSourceConformance.check(
                make: { number in
                    current = folder.appending(path: "\(number)")
                    return SecretsFolderSource(FilePath(current.path), interval: .seconds(1_000_000))
                },
                change: { _, tree in try write(tree.root, to: current) })
        }
    }

    /// A server whose switches a test sets.
    private final class Server: Sendable {
        private struct Down: Error {}

        private let state = LockedValue<(switches: [String: String], isDown: Bool)>(([:], false))

        func set(_ switches: [String: String]) { state.withLock { $0.switches = switches } }
        func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

        func switches() throws -> [String: String] {
            try state.withLock { state in
                if state.isDown { throw Down() }
                return state.switches
            }
        }
    }

    private func texts(in tree: SettingTree) -> [String: String] {
        var found: [String: String] = [:]
        for (name, value) in tree.root {
            if case .string(let text) = value { found[name] = text }
            guard case .dictionary(let inner) = value else { continue }
            for (innerName, text) in texts(in: SettingTree(inner)) { found["\(name).\(innerName)"] = text }
        }
        return found
    }

    @Test("A domain of one's own keeps all promises") func remote() async throws {
        let server = Server()
        try await DomainSourceConformance.check(
            make: { _ in
                server.set([:])
                return RemoteSwitches { try server.switches() }
            },
            change: { source, tree in
                server.set(texts(in: tree))
                (source as? RemoteSwitches)?.serverHasNews()
            },
            setFault: { _, isFaulty in
                server.setDown(isFaulty)
                return true
            })
    }

    @Test("The guide's code is that of the tests") func samples() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let page = folder.appending(path: "../../../Sources/Settle/Settle.docc/Domains.md").standardizedFileURL
        let guide = lines(try String(contentsOf: page, encoding: .utf8)).joined(separator: "\n")
        let section = guide.components(separatedBy: "\n## ").filter { $0.hasPrefix("Your own domain") }.joined()
        let sources = try ["RemoteSwitches.swift", "DomainSourceConformanceTests.swift"].map {
            lines(try String(contentsOf: folder.appending(path: $0), encoding: .utf8)).joined(separator: "\n")
        }
        let samples = section.matches(of: /(?s)```swift\n(.+?)```/).map { String($0.1) }
        #expect(samples.count == 2)
        for sample in samples { #expect(sources.contains { ($0 + "\n").contains(sample) }, "\(sample)") }
    }

    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// A source that breaks one promise.
    private final class Flawed: DomainSource {
        enum Flaw: String, CaseIterable, Sendable {
            case forgets = "A load returns all values"
            case keepsRemoved = "exactly the new values"
            case silent = "Each change is reported"
            case late = "between the first load and the watch"
            case endless = "A source that is closed reports nothing"
            case placeless = "Every key has a location"
            case indiscreet = "shows no value"
        }

        let base = ManualDomainSource()
        let flaw: Flaw
        private let known = LockedValue(SettingTree())

        init(_ flaw: Flaw) { self.flaw = flaw }

        func load() async throws(StorageError) -> DomainContents {
            var contents = try await base.load()
            if flaw == .forgets { contents.tree["group.inner"] = nil }
            if flaw == .keepsRemoved {
                contents.tree = known.withLock { known in
                    for (name, value) in contents.tree.root { known.root[name] = value }
                    return known
                }
            }
            return contents
        }

        func watch(_ changed: @escaping @Sendable () -> Void) {
            guard flaw != .silent else { return changed() }
            let isFirst = LockedValue(flaw == .late)
            base.watch {
                if !isFirst.withLock({ isFirst in
                    defer { isFirst = false }; return isFirst
                }) {
                    changed()
                }
            }
        }

        func place(of key: SettingKey) -> String {
            flaw == .placeless ? "" : base.place(of: key) + (flaw == .indiscreet ? " = first value" : "")
        }

        func close() async { if flaw != .endless { await base.close() } }
    }

    @Test("A source that breaks a promise is found out, by that promise")
    func flaws() async {
        for flaw in Flawed.Flaw.allCases {
            let failure = await #expect(throws: DomainSourceConformanceFailure.self) {
                try await DomainSourceConformance.check(
                    make: { _ in Flawed(flaw) },
                    change: { source, tree in (source as? Flawed)?.base.set(tree) }, patience: .milliseconds(50))
            }
            #expect(failure?.failures.contains { $0.contains(flaw.rawValue) } == true, "\(flaw): \(failure as Any)")
        }
    }

    private func write(_ tree: SettingTree, to file: URL, as format: FileFormat) throws {
        guard !tree.root.isEmpty else {
            if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
            return
        }
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(try format.encode(tree)).write(to: file)
    }

    /// Makes a folder have a file for each text, and nothing else.
    private func write(_ entries: SettingValue.Entries, to folder: URL) throws {
        if FileManager.default.fileExists(atPath: folder.path) { try FileManager.default.removeItem(at: folder) }
        guard !entries.isEmpty else { return }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, value) in entries {
            switch value {
            case .dictionary(let inner): try write(inner, to: folder.appending(path: name))
            case .string(let text): try Data(text.utf8).write(to: folder.appending(path: name))
            default: break
            }
        }
    }
}
