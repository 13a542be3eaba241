/// The names of a settings file and of its companions.
///
///     in the folder of the file
///     settings.json                          the file
///     settings.schema.json                   what the declarations say, where a program writes it
///     settings.json.corrupt-1                a damaged version that was put aside
///     .settings.json.0123456789abcdef.tmp    a version being written, of the file or of its schema
///     .settings.json.previous                the version that has just been replaced
///
///     in the folder for state
///     .settings.json.journal                 the journal, which has everything, and carries the lock
///     .settings.json.previous                the version before, for people
///     .settings.json.before-migration        the values before the last migration, for people
///     .settings.json.default.lock            an empty file, for the lock named "default"
///     settings.state.json                    what the program only remembers, if a group says that it is state
///     settings.json.journal.corrupt-1        a damaged journal
///     .settings.json.0123456789abcdef.tmp    a version of one of these being written
///
/// The folder for state is `~/.local/state/app` for a file in `~/.config/app`, and the folder of the file for any
/// other. It follows from the path alone, and from no variable: programs that have the file open with different
/// environments must have the same journal and the same locks.
package struct FileNames: Sendable, Equatable {
    package let file: FilePath
    /// The folder for files that are not for people. It may be on another file system than the file.
    package let stateFolder: FilePath
    /// The file after which temporary files are named; for a companion, whose name is longer, the settings file.
    private let original: FilePath

    /// - Parameter file: The path of the file itself, not of a symbolic link to it.
    package init(_ file: FilePath) {
        self.init(file, stateFolder: file.stateFolder ?? file.folder, original: file)
    }

    private init(_ file: FilePath, stateFolder: FilePath, original: FilePath) {
        self.file = file
        self.stateFolder = stateFolder
        self.original = original
    }

    /// Returns the names of a companion that is replaced in the same way as the file, and has no companions elsewhere.
    package func names(ofCompanion path: FilePath) -> FileNames {
        FileNames(path, stateFolder: path.folder, original: original)
    }

    package var folder: FilePath { file.folder }

    /// Whether the folder for state is another one than the file's.
    package var isStateApart: Bool { stateFolder != folder }

    package var folders: [FilePath] { isStateApart ? [folder, stateFolder] : [folder] }

    package var journal: FilePath { stateFolder.appending(".\(file.name).journal") }

    package var previous: FilePath { stateFolder.appending(".\(file.name).previous") }

    /// The version that has just been replaced. It is a fallback until it is ``previous``.
    package var displaced: FilePath { file.sibling(named: ".\(file.name).previous") }

    /// The earlier versions that are left, newest first.
    package var earlierVersions: [FilePath] { isStateApart ? [displaced, previous] : [previous] }

    /// The values before the last migration.
    package var beforeMigration: FilePath { stateFolder.appending(".\(file.name).before-migration") }

    /// Returns a random name, unused but for a chance of 1 in 2⁶⁴.
    ///
    /// - Parameter path: The path that a file with that name will replace; by default the file.
    package func newTemporary(for path: FilePath? = nil) -> FilePath {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        let zeros = String(repeating: "0", count: Self.digitCount - digits.count)
        return (path ?? file).sibling(named: temporaryPrefix + zeros + digits + Self.temporarySuffix)
    }

    /// Returns whether it is the name of a version of the file, or of one of its companions, that was being written.
    package func isTemporary(_ name: String) -> Bool {
        guard name.hasPrefix(temporaryPrefix), name.hasSuffix(Self.temporarySuffix) else { return false }
        let digits = name.dropFirst(temporaryPrefix.count).dropLast(Self.temporarySuffix.count)
        return digits.count == Self.digitCount && digits.allSatisfy { $0.isHexDigit }
    }

    /// The values that a program only remembers, in the format of the file.
    package var state: FilePath {
        let name = file.name
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else {
            return stateFolder.appending(name + ".state")
        }
        return stateFolder.appending("\(name[..<dot]).state\(name[dot...])")
    }

    /// Named without the extension of a JSON file, so that two files in different formats have two schemas.
    package var schema: FilePath {
        let name = file.name.hasSuffix(".json") ? String(file.name.dropLast(".json".count)) : file.name
        return file.sibling(named: "\(name).schema.json")
    }

    /// - Parameter name: Without dots, so that the locks of other files have other names.
    package func lock(named name: String) -> FilePath {
        stateFolder.appending(".\(file.name).\(name).lock")
    }

    package func corrupt(_ number: Int) -> FilePath {
        file.sibling(named: "\(file.name).corrupt-\(number)")
    }

    package func corruptJournal(_ number: Int) -> FilePath {
        stateFolder.appending("\(file.name).journal.corrupt-\(number)")
    }

    /// The longest name of a settings file, in bytes. Its temporary files have the longest names of all its companions
    /// but named locks.
    package static let lengthLimit = systemLimit - 2 - digitCount - temporarySuffix.utf8.count
    /// The longest file name that file systems allow, in bytes.
    private static let systemLimit = 255

    private var temporaryPrefix: String { ".\(original.name)." }
    private static let temporarySuffix = ".tmp"
    private static let digitCount = 16
}

extension FilePath {
    /// The folder for the state of the program to which this configuration file belongs: `~/.local/state/app` for
    /// `~/.config/app/settings.json`; `nil` for a file that is not in a folder within one called `.config`.
    ///
    /// The last such folder counts, and a file directly in it has none: `.config` in the folder of a project has files
    /// of many programs.
    fileprivate var stateFolder: FilePath? {
        // Nearly all paths have none, and splitting one takes as long as two system calls.
        guard hasHiddenName else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard let index = parts.dropLast(2).lastIndex(where: { $0.elementsEqual(".config".utf8) }), index > 0 else {
            return nil
        }
        let home = text[..<parts[index].startIndex]
        let rest = text[parts[index].endIndex..<parts[parts.endIndex - 2].endIndex]
        return FilePath(home + ".local/state" + rest)
    }

    /// Whether a name in it begins with a dot.
    private var hasHiddenName: Bool {
        text.withBytes { bytes in
            var previous: UInt8 = 0
            for byte in bytes {
                if byte == UInt8(ascii: "."), previous == UInt8(ascii: "/") { return true }
                previous = byte
            }
            return false
        }
    }
}
