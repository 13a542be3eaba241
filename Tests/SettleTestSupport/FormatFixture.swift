package import Foundation
package import Settle

/// Files in `Tests/Formats`, which a released version has written and which are never changed.
///
///     Tests/Formats/0.1.0/files/history/.settings.json.journal    as the version has left it
///                                       settings.json
///                                       tokens.txt                what a program may have saved elsewhere
///                                       expected.json             what a reader must find, as the version found it
///     Tests/Formats/0.1.0/files/sums.json                         the sums of all these
package struct FormatFixture: Sendable, CustomStringConvertible {
    /// The released version.
    package let version: String
    /// The formats that one suite reads, such as `files`.
    package let area: String
    /// The name of the fixture.
    package let name: String
    package let folder: URL

    package var description: String { "\(version)/\(area)/\(name)" }

    static let expectation = "expected.json"
    private static let sumsName = "sums.json"

    // MARK: Reading

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Formats", directoryHint: .isDirectory)

    /// The released versions that have fixtures.
    package static func versions() -> [String] { folders(in: root) }

    /// Returns the fixtures of all versions; none if there is no folder of them.
    package static func all(_ area: String) -> [FormatFixture] {
        versions().flatMap { version in
            let folder = folder(of: area, in: root.appending(path: version))
            return folders(in: folder).map { name in
                FormatFixture(version: version, area: area, name: name, folder: folder.appending(path: name))
            }
        }
    }

    private static func folder(of area: String, in version: URL) -> URL {
        version.appending(path: area, directoryHint: .isDirectory)
    }

    /// The names of the folders in a folder, sorted.
    private static func folders(in folder: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { name in
            var isFolder: ObjCBool = false
            let path = folder.appending(path: name).path
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
        }.sorted()
    }

    /// The names of its files but ``expectation``, sorted.
    package func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != Self.expectation }.sorted()
    }

    package func bytes(of name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }

    package func text(of name: String) throws -> String { String(decoding: try bytes(of: name), as: UTF8.self) }

    /// The findings that a reader must have.
    package func expected() throws -> SettingTree { try FileFormat.json.decode(Array(bytes(of: Self.expectation))) }

    /// Copies its files, without what is expected of them.
    package func copy(to target: URL) throws {
        for name in try names() { try bytes(of: name).write(to: target.appending(path: name)) }
    }

    /// Returns what differs from the files that a version has written, as sentences.
    package static func differences(_ area: String) throws -> [String] {
        let versions = versions()
        guard !versions.isEmpty else { return ["There is no folder of fixtures in \(root.path)."] }
        return try versions.flatMap { version -> [String] in
            let folder = folder(of: area, in: root.appending(path: version))
            guard let bytes = try? Data(contentsOf: folder.appending(path: sumsName)) else {
                return ["\(version) has no fixtures of \(area)."]
            }
            let (recorded, found) = (try FileFormat.json.decode(Array(bytes)), try fileSums(in: folder))
            return Set(recorded.root.keys).union(found.root.keys).sorted()
                .filter { recorded.root[$0] != found.root[$0] }
                .map { "\(version)/\(area)/\($0) is not the file that \(version) has written." }
        }
    }

    /// The sums of all files in the folders of a folder, by their paths.
    private static func fileSums(in folder: URL) throws -> SettingTree {
        var sums = SettingTree()
        for name in folders(in: folder) {
            let inner = folder.appending(path: name)
            for file in try FileManager.default.contentsOfDirectory(atPath: inner.path) {
                let version = FileVersion(of: Array(try Data(contentsOf: inner.appending(path: file))))
                sums.root["\(name)/\(file)"] = .string("\(version.size)-\(String(version.hash, radix: 16))")
            }
        }
        return sums
    }

    // MARK: Writing

    /// The folder that the variable `SETTLE_WRITE_FIXTURES` names, such as `Tests/Formats/0.1.0`: tests write the
    /// fixtures of a new version to it.
    package static let target = ProcessInfo.processInfo.environment["SETTLE_WRITE_FIXTURES"].map {
        URL(filePath: $0, directoryHint: .isDirectory)
    }

    /// Begins the fixtures of an area. Those of a version are written once.
    package static func beginWriting(_ area: String) throws {
        guard let target else { return }
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        // Throws if it is there.
        try FileManager.default.createDirectory(at: folder(of: area, in: target), withIntermediateDirectories: false)
    }

    /// Writes a fixture.
    ///
    /// - Parameters:
    ///   - files: The bytes of its files by their names.
    ///   - expected: What a reader finds in them.
    package static func write(
        _ name: String, in area: String, _ files: [String: Data], expected: SettingTree
    ) throws {
        guard let target else { return }
        let folder = folder(of: area, in: target).appending(path: name, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        var files = files
        files[expectation] = Data(try FileFormat.json.encode(expected))
        for (name, bytes) in files { try bytes.write(to: folder.appending(path: name)) }
    }

    /// Writes the sums of an area's fixtures.
    package static func endWriting(_ area: String) throws {
        guard let target else { return }
        let folder = folder(of: area, in: target)
        try Data(FileFormat.json.encode(fileSums(in: folder))).write(to: folder.appending(path: sumsName))
    }
}

extension FormatFixture {
    /// Returns the bytes of all files in a folder by their names, without versions that were being written.
    package static func files(in folder: URL) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !name.hasSuffix(".tmp") {
            files[name] = try Data(contentsOf: folder.appending(path: name))
        }
        return files
    }
}

extension SettingTree {
    /// The same as ``FormatFixture/expected()`` returns it: read again from JSON.
    package func reread() throws -> SettingTree { try FileFormat.json.decode(FileFormat.json.encode(self)) }

    /// The tree as JSON, for the message of a failed comparison.
    package var jsonText: String {
        (try? FileFormat.json.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "\(self)"
    }
}

extension SettingValue {
    /// The value without types that JSON lacks: dates, data and numbers are dictionaries with one entry.
    package var typed: SettingValue {
        switch self {
        case .null, .bool, .integer, .string: self
        case .real(let real): .dictionary(["real": .string("\(real)")])
        case .number(let literal): .dictionary(["number": .string(literal)])
        case .date(let date): .dictionary(["date": .string("\(date.timeIntervalSinceReferenceDate)")])
        case .data(let data): .dictionary(["data": .string(data.base64EncodedString())])
        case .array(let elements): .array(elements.map(\.typed))
        case .dictionary(let entries):
            .dictionary(SettingValue.Entries(uniqueKeysWithValues: entries.map { ($0.key, $0.value.typed) }))
        }
    }

    /// A text, or `null`.
    package static func text(_ text: String?) -> SettingValue { text.map { SettingValue.string($0) } ?? .null }
}
