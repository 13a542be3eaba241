import Foundation
import Settle
import Testing

/// The folders of each library are ordered, and none names a type of a folder above it.
///
/// The picture in `Architecture.md` gives the order of those of Settle; the others need only have one. Names are found
/// in the text of the sources, without comments and strings.
@Suite(.serialized) struct FolderOrderTests {
    private let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
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

    @Test(
        "No folders of a library need each other",
        arguments: [
            "Settle", "SettleCommand", "SettleEtcd", "SettleFoundation", "SettleHTTP", "SettleInterchange",
            "SettlePanel", "SettleTesting", "SettleUI", "SettleUsers",
        ])
    func cycles(_ library: String) throws {
        let files = try files(of: library)
        #expect(!files.isEmpty)
        let homes = homes(in: files)
        var arrows: [String: [String: String]] = [:]
        for file in files {
            // An extension needs the folder of its type, although it looks like a declaration of its own.
            for name in file.names.union(file.extended) {
                guard let home = homes[name], home != file.folder else { continue }
                arrows[file.folder, default: [:]][home] = "\(file.folder)/\(file.name) names \(name) of \(home)."
            }
        }
        // Without those that need no others, again and again, only cycles and what needs them remain.
        while let done = arrows.first(where: { $0.value.keys.allSatisfy { arrows[$0] == nil } }) {
            arrows[done.key] = nil
        }
        let reasons = arrows.values.flatMap { arrow in arrow.filter { arrows[$0.key] != nil }.values }.sorted()
        #expect(reasons == [])
    }

    /// The folder of each line of the picture, from the top.
    private func lines() throws -> [String] {
        let picture = sources.appending(path: "Settle/Settle.docc/Architecture.md")
        let text = try String(contentsOf: picture, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "## The folders\n").last)
        let lines = section.components(separatedBy: "```")[1].split(separator: "\n")
        return lines.map { String($0.prefix { $0 != " " }) }
    }

    private struct Source {
        var folder: String
        var name: String
        /// Of types that are declared outside of all others.
        var declared: Set<String>
        /// Of the types of which it has extensions.
        var extended: Set<String>
        /// All words with a capital.
        var names: Set<String>
    }

    /// The sources of each library, read once.
    private static let known = LockedValue<[String: [Source]]>([:])

    private func files(of library: String = "Settle") throws -> [Source] {
        if let known = Self.known.withLock({ $0[library] }) { return known }
        let files = try readFiles(of: library)
        Self.known.withLock { $0[library] = files }
        return files
    }

    private func readFiles(of library: String) throws -> [Source] {
        let sources = sources.appending(path: library)
        let paths = try #require(FileManager.default.enumerator(atPath: sources.path))
        return try paths.compactMap { path -> Source? in
            // Those in a catalog are samples.
            guard let path = path as? String, path.hasSuffix(".swift"), !path.contains(".docc/") else { return nil }
            let parts = path.components(separatedBy: "/")
            let text = code(in: try String(contentsOf: sources.appending(path: path), encoding: .utf8))
            let declaration = /^(?:\w+ |@\w+ )*(?:class|struct|enum|protocol|actor|typealias) ([A-Z]\w+)/
                .anchorsMatchLineEndings()
            let ownNested = text.matches(of: /(?:class|struct|enum|typealias) ([A-Z]\w+)/).map { String($0.1) }
            let declared = Set(text.matches(of: declaration).map { String($0.1) })
            let extensions = /^(?:\w+ |@\w+ )*extension ([A-Z]\w+)/.anchorsMatchLineEndings()
            let extended = Set(text.matches(of: extensions).map { String($0.1) })
            let names = Set(text.matches(of: /(?:^|[^.\w])([A-Z]\w+)/.anchorsMatchLineEndings()).map { String($0.1) })
            return Source(
                folder: parts.dropLast().joined(separator: "/"), name: parts.last ?? "", declared: declared,
                extended: extended, names: names.subtracting(ownNested))
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
