import Foundation
import SettleTesting
import Testing

/// The program `notes`, in several processes.
@Suite(.serialized, .timeLimit(.minutes(5))) struct NotesProgramTests {
    private final class Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// The program beside the tests.
    private static var program: URL {
        get throws {
            let bundles = [Bundle(for: Failure.self).bundleURL, URL(filePath: CommandLine.arguments[0])]
            for bundle in bundles {
                let file = bundle.deletingLastPathComponent().appending(path: "notes")
                if FileManager.default.isExecutableFile(atPath: file.path) { return file }
            }
            throw Failure("There is no program “notes” beside \(bundles.map(\.path)).")
        }
    }

    /// Runs processes at the same time.
    ///
    /// - Returns: Their output and errors.
    private func run(_ commands: [[String]]) throws -> [String] {
        let running = try commands.map { arguments in
            let (process, output, errors) = (Process(), Pipe(), Pipe())
            process.executableURL = try Self.program
            process.arguments = arguments
            (process.standardOutput, process.standardError) = (output, errors)
            try process.run()
            return (process, output, errors)
        }
        // They end with their process.
        return running.map { _, output, errors in
            [output, errors].map { pipe in
                String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            }.joined()
        }
    }

    @Test("Processes that add notes at once give each a number, and the next one finds them all")
    func processes() throws {
        try withTemporaryFolder { folder in
            let file = ["--database", folder.appending(path: "notes.sqlite").path]
            // Several processes at once can't set a new database to write-ahead logging.
            #expect(try run([["list"] + file]) == [""])
            let texts = ["a", "b", "c", "d"]
            let added = try run(texts.map { ["add"] + file + [$0] })
            #expect(Set(added) == Set((1...texts.count).map { "Note \($0)\n" }), "\(added)")
            #expect(try run([["set"] + file + ["newestFirst", "true"]]) == [""])
            let list = try run([["list"] + file])[0].split(separator: "\n")
            #expect(list.map { $0.prefix { $0 != " " } } == ["4", "3", "2", "1"], "\(list)")
            #expect(Set(list.compactMap(\.last)) == Set(texts.joined()), "\(list)")
        }
    }

    @Test("A value that a setting refuses is reported, and a file that is no database by its path")
    func refusals() throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "notes.sqlite")
            let refused = try run([["set", "--database", file.path, "lastNumber", "2000000000"]])
            #expect(refused[0].contains("lastNumber"), "\(refused)")
            let text = folder.appending(path: "text.sqlite")
            try Data(repeating: 0x41, count: 4_096).write(to: text)
            let foreign = try run([["list", "--database", text.path]])
            #expect(foreign[0].contains("“\(text.path)”: SQLite error 26: "), "\(foreign)")
        }
    }
}
