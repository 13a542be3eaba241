import Foundation
import Testing

/// The folders of the library stand in an order, and none names a type of a folder above it.
///
/// The order is the picture in `Architecture.md`. Names are found in the text of the sources, without comments and strings.
@Suite struct FolderOrderTests {
    private let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../../Sources/Settle"
    )
    .standardizedFileURL

    @Test("No file names a type of a folder above its own") func order() throws {
        let levels = try levels()
        let files = try files()
        #expect(Set(files.map(\.folder)) == Set(levels.keys), "The picture has all folders.")
        let homes = homes(in: files)
        // A search that finds nothing proves nothing.
        #expect(homes["SettingTree"] == "Values" && homes["FileSession"] == "FileStorage")
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

    /// The level of each folder, from the lowest. Folders in one line are on one level, and may name each other.
    private func levels() throws -> [String: Int] {
        let text = try String(contentsOf: sources.appending(path: "Settle.docc/Architecture.md"), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "## The folders\n").last)
        let lines = section.components(separatedBy: "```")[1].split(separator: "\n").reversed()
        var levels: [String: Int] = [:]
        for (level, line) in lines.enumerated() {
            let names = line.split(separator: " ", maxSplits: 1)[0]
            for name in names.split(separator: "·") { levels[String(name)] = level }
        }
        return levels
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

    /// A source without its comments, and without its strings but for what is interpolated.
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
