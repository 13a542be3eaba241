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

    @Test("A file that does not exist and a folder can't be read") func unreadable() async throws {
        let home = try await home()
        for name in ["none.json", "."] {
            let answer = await home.run("import", "app", home.file(name).path)
            #expect(answer.code == 74 && answer.errors.contains("can't be read: "), "\(answer)")
        }
    }
}
