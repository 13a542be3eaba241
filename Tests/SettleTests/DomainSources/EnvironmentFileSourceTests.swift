import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Environment variables in a file.
@Suite(.timeLimit(.minutes(10))) struct EnvironmentFileSourceTests {
    /// A file, and system calls that record what the source does.
    private struct Fixture {
        let files: FileStorageFixture
        let calls = FaultySystemCalls()
        let source: EnvironmentSource

        init(_ name: String = ".env", declaring keys: [SettingKey] = ["port", "name", "log.level"]) throws {
            files = try FileStorageFixture(name)
            source = try EnvironmentSource(
                prefix: "APP", file: files.file, calls: calls, watching: SystemFileWatching.shared)
            #expect(source.declare(keys, try source.look(for: keys)) == nil)
        }

        func load() throws -> SettingTree { try source.load().tree }

        /// What the source has done to anything.
        var changes: [SystemCall] {
            let harmless: Set<SystemCall.Kind> = [.open, .openFolder, .read, .close, .status, .names, .linkTarget]
            return calls.calls.filter { !harmless.contains($0.kind) }
        }
    }

    @Test("Variables of declared keys are values; those of others and of other programs are not") func values() throws {
        let fixture = try Fixture()
        try fixture.files.write(
            "APP_PORT=80\nAPP_OTHER=1\nPORT=2\nAPP_LOG_LEVEL='x'\nAPPS=3\napp_name=4\nAPP_NAME.=5\n")
        let contents = try fixture.source.load()
        #expect(contents.isText && contents.problems == [])
        #expect(contents.tree.root == ["port": .string("80"), "log": .dictionary(["level": .string("x")])])
        #expect(fixture.changes == [] && fixture.calls.openFiles == [])
    }

    @Test("A missing file or folder is an empty domain, and nothing is made") func missing() throws {
        let fixture = try Fixture("below/missing/.env")
        #expect(try fixture.source.load() == DomainContents(isText: true))
        #expect(try fixture.files.names() == [])
        #expect(fixture.changes == [])
    }

    @Test("A broken file throws with file, line and rule, never with a value, and heals") func broken() throws {
        let fixture = try Fixture()
        try fixture.files.write("APP_PORT=80\n")
        #expect(try fixture.load()["port"] == .string("80"))
        try fixture.files.write("APP_PORT=81\n\nAPP_NAME='hunter2\n")
        for _ in 0..<2 {
            let error = #expect(throws: StorageError.self) { try fixture.source.load() }
            let begin = "“\(fixture.files.file.path)” can't be used as it is. Line 3, column 10: "
            #expect(error?.description.hasPrefix(begin) == true, "\(error?.description ?? "")")
            #expect(error?.description.contains("hunter2") == false)
        }
        #expect(fixture.source.contents.tree["port"] == .string("80"))
        try fixture.files.write("APP_PORT=82\n")
        #expect(try fixture.load()["port"] == .string("82"))
    }

    @Test("What is no file of a fair size is an error that names it") func unreadable() throws {
        let fixture = try Fixture()
        func message() -> String {
            let error = #expect(throws: StorageError.self) { try fixture.source.load() }
            return error?.description ?? ""
        }
        let largest = "APP_PORT=1\n#" + String(repeating: "c", count: FileDomainSource.textSizeLimit - 12)
        try fixture.files.write(largest)
        #expect(try fixture.load()["port"] == .string("1"))
        try fixture.files.write(largest + "c")
        #expect(message().hasSuffix("/.env” can't be read: it has more than 1048576 bytes."))
        try FileManager.default.removeItem(at: fixture.files.file)
        try FileManager.default.createDirectory(at: fixture.files.file, withIntermediateDirectories: false)
        #expect(message().contains("/.env”"))
        try FileManager.default.removeItem(at: fixture.files.file)
        #expect(mkfifo(fixture.files.file.path, 0o600) == 0)
        #expect(message().contains("/.env”"))
        try FileManager.default.removeItem(at: fixture.files.file)
        try fixture.files.write("APP_PORT=2\n")
        fixture.calls.fail(every: .read, with: .permissionDenied)
        #expect(message().contains("/.env”"))
        #expect(fixture.calls.openFiles == [])
    }

    @Test("A place has the line, and that of a value in a file of its own both names") func places() throws {
        let fixture = try Fixture()
        let path = fixture.files.file.path
        #expect(fixture.source.place(of: "port") == "“\(path)”")
        let token = fixture.files.folder.appending(path: "token")
        try Data("hunter2\n".utf8).write(to: token)
        try fixture.files.write("# first\nAPP_PORT=1\nAPP_NAME_FILE=\(token.path)\nexport APP_LOG_LEVEL=\"2\n3\"\n")
        let contents = try fixture.source.load()
        #expect(contents.tree["name"] == .string("hunter2") && contents.problems == [])
        #expect(fixture.source.place(of: "port") == "“\(path)”, line 2")
        #expect(fixture.source.place(of: "log.level") == "“\(path)”, line 4")
        #expect(fixture.source.place(of: "name").contains("“\(token.path)”, which the variable APP_NAME_FILE names"))
        #expect(fixture.source.place(of: "absent") == "“\(path)”")
        try fixture.files.write("APP_NAME=1\nAPP_NAME_FILE=\(token.path)\n")
        #expect(try fixture.source.load().problems == ["APP_NAME_FILE is not used, because APP_NAME is set too."])
        #expect(fixture.source.place(of: "name") == "“\(path)”, line 1")
        try fixture.files.write("APP_PORT=1\n")
        #expect(try fixture.source.load() == DomainContents(SettingTree(["port": .string("1")]), isText: true))
    }

    @Test("Changes are reported: a folder that appears, edits, a replacement, a removal") func watched() async throws {
        let fixture = try Fixture("below/.env")
        _ = try fixture.load()
        let changes = ReportedChanges(of: fixture.source)
        let folder = fixture.files.file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try fixture.files.write("APP_PORT=1")
        try await changes.load { $0["port"] == .string("1") }
        try Data("APP_PORT=2".utf8).write(to: fixture.files.file, options: .atomic)
        try await changes.load { $0["port"] == .string("2") }
        try fixture.files.write("APP_PORT='")
        #expect(await changes.loadUntilItFails() != nil)
        try fixture.files.write("APP_PORT=3")
        try await changes.load { $0["port"] == .string("3") }
        try FileManager.default.removeItem(at: fixture.files.file)
        try await changes.load { $0.root.isEmpty }
        try Data("APP_PORT=4".utf8).write(to: folder.appending(path: "other"))
        try FileManager.default.createSymbolicLink(
            atPath: fixture.files.file.path, withDestinationPath: "other")
        try await changes.load { $0["port"] == .string("4") }
        try Data("APP_PORT=5".utf8).write(to: folder.appending(path: "other"))
        try await changes.load { $0["port"] == .string("5") }
        await fixture.source.close()
    }

    @Test("An edit while the file is read begins the load anew; half of it is no error")
    func editWithin() throws {
        let fixture = try Fixture()
        let file = fixture.files.file
        try fixture.files.write("APP_PORT=1\nAPP_NAME=1\n")
        fixture.calls.beforeNext(.read) {
            try? Data("APP_PORT=2\nAPP_NAME=two\n".utf8).write(to: file)
        }
        #expect(try fixture.load().root == ["port": .string("2"), "name": .string("two")])
        try fixture.files.write("APP_PORT=3\nAPP_NAME='th")
        fixture.calls.beforeNext(.close) {
            try? Data("APP_PORT=3\nAPP_NAME='three'".utf8).write(to: file, options: .atomic)
        }
        #expect(try fixture.load().root == ["port": .string("3"), "name": .string("three")])
        fixture.calls.beforeNext(.open) { try? FileManager.default.removeItem(at: file) }
        #expect(try fixture.load().root.isEmpty)
    }

    @Test("Settings that are declared while the file changes get its newest values") func declaredWithin() throws {
        let fixture = try Fixture(declaring: ["port"])
        try fixture.files.write("APP_PORT=1\nAPP_NAME=1\n")
        _ = try fixture.load()
        let look = try fixture.source.look(for: ["name"])
        try fixture.files.write("APP_PORT=22\nAPP_NAME=22\n")
        #expect(try fixture.load().root == ["port": .string("22")])
        #expect(fixture.source.declare(["name"], look)?.tree.root == ["port": .string("22"), "name": .string("22")])
    }

    @Test("Of two spellings of a name that Unicode calls equal, it is always the same one that counts")
    func spellings() throws {
        for lines in [["APP_\u{C9}=1", "APP_E\u{301}=2"], ["APP_E\u{301}=2", "APP_\u{C9}=1"]] {
            for _ in 0..<10 {
                let fixture = try Fixture(declaring: ["\u{E9}"])
                try fixture.files.write(lines.joined(separator: "\n"))
                #expect(try fixture.load()["\u{E9}"] == .string("1"))
            }
        }
    }

    @Test("Two keys with one variable are refused") func collision() throws {
        let fixture = try Fixture(declaring: ["log.level"])
        #expect(throws: SpellingCollision("APP_LOG_LEVEL", "log.level", "logLevel")) {
            try fixture.source.look(for: ["logLevel"])
        }
    }
}
