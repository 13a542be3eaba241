import Settle
import SettleCommand
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

/// Documents at paths of any kind: files, links, pipes and the streams of the process.
@Suite(.timeLimit(.minutes(10))) struct DocumentFilesTests {
    /// A home whose domain `app` has a value.
    private func home() async throws -> CommandHome {
        let home = try CommandHome()
        await home.run("write", "app", "a", "1")
        return home
    }

    private func permissions(of file: URL) -> Int? {
        var status = stat()
        return stat(file.path, &status) == 0 ? Int(status.st_mode & 0o777) : nil
    }

    /// Makes a named pipe, and opens its other end without waiting.
    private func namedPipe(at file: URL) throws -> CInt {
        try #require(mkfifo(file.path, 0o600) == 0)
        let end = open(file.path, O_RDWR | O_NONBLOCK)
        try #require(end >= 0)
        return end
    }

    private func readAll(_ descriptor: CInt) -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test("A named pipe is written to, and stays one") func writingPipes() async throws {
        let home = try await home()
        let (file, source) = (home.file("pipe"), try home.write("{\"b\": 2}", to: "b.json"))
        let end = try namedPipe(at: file)
        defer { close(end) }
        for (arguments, expected) in [
            (["export", "app", file.path, "--as", "json"], "\"a\": \"1\""),
            (["convert", source, file.path], "\"b\": 2"),
        ] {
            let answer = await home.run(arguments)
            #expect(answer.code == 0 && answer.output.isEmpty, "\(answer)")
            let written = readAll(end)
            #expect(written.contains(expected), "\(written)")
            var status = stat()
            #expect(lstat(file.path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        }
    }

    @Test("A path that leads to standard output is standard output") func output() async throws {
        let home = try await home()
        try FileManager.default.createSymbolicLink(
            atPath: home.file("out").path, withDestinationPath: "/dev/stdout")
        let exported = await home.run("export", "app", home.file("out").path)
        #expect(exported.code == 0 && exported.output.hasPrefix("<?xml"), "\(exported)")
        let source = try home.write("{\"b\": 2}", to: "b.json")
        #expect(await home.run("convert", source, home.file("out").path).output == "{\n  \"b\": 2\n}\n")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: home.file("out").path) == "/dev/stdout")
    }

    @Test("The file that a link leads to is replaced, and the link stays") func links() async throws {
        let home = try await home()
        try FileManager.default.createDirectory(at: home.file("other"), withIntermediateDirectories: false)
        for target in ["other/there.json", "other/new.json"] {
            if target.contains("there") { _ = try home.write("{}", to: target) }
            let link = home.file("link.json")
            try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: target)
            #expect(await home.run("export", "app", link.path).code == 0)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == target)
            #expect(try String(contentsOf: home.file(target), encoding: .utf8).contains("\"a\": \"1\""))
            try FileManager.default.removeItem(at: link)
        }
        // Nothing is left beside them.
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: home.file("other").path).sorted()
                == ["new.json", "there.json"])
    }

    @Test("A file that is replaced keeps its permissions", arguments: [0o600, 0o640, 0o444])
    func permissions(_ permissions: Int) async throws {
        let home = try await home()
        let source = try home.write("{\"b\": 2}", to: "b.json")
        for arguments in [["export", "app"], ["convert", source]] {
            let file = home.file("\(arguments[0]).json")
            _ = try home.write("{}", to: file.lastPathComponent)
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
            #expect(await home.run(arguments + [file.path]).code == 0)
            #expect(self.permissions(of: file) == permissions)
            #expect(try Data(contentsOf: file).count > 2)
        }
    }

    @Test("A folder is neither replaced nor written to") func folders() async throws {
        let home = try await home()
        try FileManager.default.createDirectory(at: home.file("folder"), withIntermediateDirectories: false)
        let path = home.file("folder").path
        let answer = await home.run("export", "app", path)
        #expect(answer.code == 74 && answer.errors.contains("“\(path)” can't be written"), "\(answer)")
    }

    @Test("A path with a slash at its end is a folder, even where nothing is", arguments: ["new/", "new/.", "there/"])
    func trailingSlash(_ name: String) async throws {
        let home = try await home()
        _ = try home.write("{}", to: "there")
        let answer = await home.run("export", "app", "\(home.folder.url.path)/\(name)")
        #expect(answer.code == 74 && answer.errors.contains("can't be written: Is a directory"), "\(answer)")
        #expect(!FileManager.default.fileExists(atPath: home.file("new").path))
        #expect(try String(contentsOf: home.file("there"), encoding: .utf8) == "{}")
    }

    @Test("What keeps a path from being followed is said as what it is") func unreachable() async throws {
        let home = try await home()
        _ = try home.write("{}", to: "there")
        for (link, target) in [("a", "b"), ("b", "a")] {
            try FileManager.default.createSymbolicLink(atPath: home.file(link).path, withDestinationPath: target)
        }
        for (name, cause) in [("a", ELOOP), ("none/x.json", ENOENT), ("there/x.json", ENOTDIR)] {
            let answer = await home.run("export", "app", home.file(name).path)
            let sentence = String(cString: strerror(cause))
            #expect(answer.code == 74 && answer.errors.contains("can't be written: \(sentence)"), "\(answer)")
        }
    }

    @Test("… and so is a folder that may not be searched", .enabled(if: geteuid() != 0))
    func unsearchable() async throws {
        let home = try await home()
        try FileManager.default.createDirectory(at: home.file("closed"), withIntermediateDirectories: false)
        try #require(chmod(home.file("closed").path, 0o600) == 0)
        defer { chmod(home.file("closed").path, 0o700) }
        let answer = await home.run("export", "app", home.file("closed").appending(path: "x.json").path)
        let sentence = String(cString: strerror(EACCES))
        #expect(answer.code == 74 && answer.errors.contains("can't be written: \(sentence)"), "\(answer)")
    }

    @Test("Only in a sticky folder that everyone may write to is another user's file planted")
    func planted() {
        func status(user: UInt32, permissions: UInt16 = 0o777, isSticky: Bool = true) -> FileStatus {
            FileStatus(
                kind: .folder, size: 0, permissions: permissions, isSticky: isSticky,
                owner: .init(user: user, group: 1), identity: .init(device: 1, file: 1))
        }
        #expect(status(user: 3).isPlanted(in: status(user: 1), for: 2))
        #expect(status(user: 3).isPlanted(in: status(user: 1), for: 0))
        #expect(!status(user: 2).isPlanted(in: status(user: 1), for: 2))
        #expect(!status(user: 1).isPlanted(in: status(user: 1), for: 2))
        #expect(!status(user: 3).isPlanted(in: status(user: 1, isSticky: false), for: 2))
        #expect(!status(user: 3).isPlanted(in: status(user: 1, permissions: 0o775), for: 2))
    }

    @Test(
        "A link, a pipe and a file that another user has put into a shared folder are not written to",
        .enabled(if: geteuid() == 0))
    func plantedFiles() async throws {
        let home = try await home()
        let (shared, mine) = (home.file("shared"), try home.write("{}", to: "mine.json"))
        try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: false)
        try #require(chmod(shared.path, 0o1777) == 0 && chown(shared.path, 4_001, 4_001) == 0)
        let (link, pipe, file) = (shared.appending(path: "l"), shared.appending(path: "p"), shared.appending(path: "f"))
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: mine)
        let end = try namedPipe(at: pipe)
        defer { close(end) }
        try Data("{}".utf8).write(to: file)
        for planted in [link, pipe, file] {
            try #require(lchown(planted.path, 4_002, 4_002) == 0)
            let answer = await home.run("export", "app", planted.path, "--as", "json")
            #expect(answer.code == 74 && answer.errors.contains("of another user, in a folder"), "\(answer)")
            // The folder's owner may do with it as they like.
            try #require(lchown(planted.path, 4_001, 4_001) == 0)
            #expect(await home.run("export", "app", planted.path, "--as", "json").code == 0)
        }
        #expect(try String(contentsOf: home.file("mine.json"), encoding: .utf8).contains("\"a\": \"1\""))
    }

    @Test("A path that leads to standard input is standard input", arguments: ["import", "convert", "migrate"])
    func input(_ verb: String) async throws {
        let home = try await home()
        try FileManager.default.createSymbolicLink(atPath: home.file("in").path, withDestinationPath: "/dev/stdin")
        let terminal = RecordingTerminal(input: "{\"b\": 2}")
        let path = home.file("in").path
        let arguments = [verb] + (verb == "convert" ? [path] : ["app", path])
        let answer = await home.run(arguments + (verb == "migrate" ? ["--from", "userdefaults"] : []), on: terminal)
        #expect(answer.code == 0, "\(answer)")
        if verb == "convert" {
            #expect(answer.output == "{\n  \"b\": 2\n}\n")
        } else {
            #expect(await home.run("read", "app", "b").output == "2\n")
        }
    }

    @Test("An open pipe is read to its end, as the shell gives it for <(…)") func readingPipes() async throws {
        let home = try await home()
        let text = String(repeating: "x", count: 3_000)
        let document = "{\"b\": \"\(text)\"}"
        for arguments in [["import", "app"], ["convert"]] {
            var ends: [CInt] = [0, 0]
            try #require(pipe(&ends) == 0)
            defer { close(ends[0]) }
            #expect(write(ends[1], document, document.utf8.count) == document.utf8.count)
            close(ends[1])
            let answer = await home.run(arguments + ["/dev/fd/\(ends[0])"])
            #expect(answer.code == 0, "\(answer)")
            if arguments == ["convert"] { #expect(answer.output.contains(text)) }
        }
        #expect(await home.run("read", "app", "b").output == text + "\n")
    }

    @Test("A named pipe or a huge file in place of a settings file or of an app's list is refused at once")
    func replacedFiles() async throws {
        let home = try await home()
        let bundle = home.file("Paint.app")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: false)
        for (file, arguments) in [
            (home.settings("app"), ["check", "app"]),
            (bundle.appending(path: "Info.plist"), ["read", "-app", bundle.path]),
        ] {
            try? FileManager.default.removeItem(at: file)
            try #require(mkfifo(file.path, 0o600) == 0)
            let pipe = await home.run(arguments)
            #expect(pipe.code == 74 && pipe.errors.contains("can't be read: it is a named pipe"), "\(pipe)")
            try FileManager.default.removeItem(at: file)
            try Data().write(to: file)
            try #require(truncate(file.path, 257 << 20) == 0)
            let huge = await home.run(arguments)
            #expect(huge.code == 74 && huge.errors.contains("exceeds the limit"), "\(huge)")
        }
    }

    @Test("A file that does not exist and a folder can't be read") func unreadable() async throws {
        let home = try await home()
        for name in ["none.json", "."] {
            let answer = await home.run("import", "app", home.file(name).path)
            #expect(answer.code == 74 && answer.errors.contains("can't be read: "), "\(answer)")
        }
    }
}
