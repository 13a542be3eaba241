import Foundation
import Testing

/// The library's folders are ordered, and none names a type of a folder above it.
///
/// The picture in `Architecture.md` gives the order. Names are found in the text of the sources, without comments and
/// strings.
@Suite struct FolderOrderTests {
    private let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../../Sources/Settle"
    )
    .standardizedFileURL

    @Test("The picture has a line for each folder") func picture() throws {
        #expect(try lines().sorted() == Set(files().map(\.folder)).sorted())
    }

    @Test("A room's folders stand together, so the order of the folders is one of the rooms") func rooms() throws {
        let rooms = try lines().map { $0.prefix { $0 != "/" } }
        let runs = zip(rooms, rooms.dropFirst()).count { $0 != $1 } + 1
        #expect(runs == Set(rooms).count)
        #expect((6...8).contains(runs))
    }

    @Test("No file names a type of a folder above its own") func order() throws {
        let lines = try lines()
        let levels = Dictionary(zip(lines.reversed(), 0...), uniquingKeysWith: max)
        let files = try files()
        let homes = homes(in: files)
        // A search that finds nothing proves nothing.
        #expect(homes["SettingTree"] == "Values/Model" && homes["FileSession"] == "Files/FileStorage")
        var count = 0
        for file in files {
            for name in file.names {
                guard let home = homes[name], home != file.folder else { continue }
                count += 1
                let (own, other) = (levels[file.folder] ?? 0, levels[home] ?? 0)
                #expect(own >= other, "\(file.folder)/\(file.name) names \(name) of \(home), which is above it.")
            }
        }
        #expect(count > 300)
    }

    /// The folder of each line of the picture, from the top.
    private func lines() throws -> [String] {
        let text = try String(contentsOf: sources.appending(path: "Settle.docc/Architecture.md"), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "## The folders\n").last)
        let lines = section.components(separatedBy: "```")[1].split(separator: "\n")
        return lines.map { String($0.prefix { $0 != " " }) }
    }

    private struct Source {
        var folder: String
        var name: String
        /// Of types that are declared outside of all others.
        var declared: Set<String>
        /// All words with a capital.
        var names: Set<String>
    }

    private func files() throws -> [Source] {
        let paths = try #require(FileManager.default.enumerator(atPath: sources.path))
        return try paths.compactMap { path -> Source? in
            guard let path = path as? String, path.hasSuffix(".swift") else { return nil }
            let parts = path.components(separatedBy: "/")
            let text = code(in: try String(contentsOf: sources.appending(path: path), encoding: .utf8))
            let declaration = /^(?:\w+ |@\w+ )*(?:class|struct|enum|protocol|actor|typealias) ([A-Z]\w+)/
                .anchorsMatchLineEndings()
            let ownNested = text.matches(of: /(?:class|struct|enum|typealias) ([A-Z]\w+)/).map { String($0.1) }
            let declared = Set(text.matches(of: declaration).map { String($0.1) })
            let names = Set(text.matches(of: /(?:^|[^.\w])([A-Z]\w+)/.anchorsMatchLineEndings()).map { String($0.1) })
            return Source(
                folder: parts.dropLast().joined(separator: "/"), name: parts.last ?? "", declared: declared,
                names: names.subtracting(ownNested))
        }
    }

    /// The folder of each type, if only one folder declares one of that name.
    private func homes(in files: [Source]) -> [String: String] {
        var folders: [String: Set<String>] = [:]
        for file in files { for name in file.declared { folders[name, default: []].insert(file.folder) } }
        return folders.compactMapValues { $0.count == 1 ? $0.first : nil }
    }

    /// A source without comments and strings. What is interpolated into a string stays.
    private func code(in text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var line = line
            if let comment = line.firstRange(of: "//") { line = line[..<comment.lowerBound] }
            return line.replacing(/"(?:\\.|[^"\\])*"/) { string in
                string.0.matches(of: /\\\(([^()]*)\)/).map { String($0.1) }.joined(separator: " ")
            }
        }.joined(separator: "\n")
    }
}
