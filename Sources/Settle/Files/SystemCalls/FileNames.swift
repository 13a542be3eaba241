/// The names of a settings file and of its companions. All are in one folder, so that a rename can replace one by
/// another.
///
///     settings.json                          the file
///     .settings.json.journal                 the journal, which has everything, and carries the lock
///     .settings.json.previous                the version before, for people
///     .settings.json.default.lock            an empty file, for the lock named "default"
///     .settings.json.0123456789abcdef.tmp    a version being written
///     settings.state.json                    what the program only remembers, if a group says that it is state
///     settings.schema.json                   what the declarations say, where a program writes it
///     settings.json.corrupt-1                a damaged version that was put aside
///     settings.json.journal.corrupt-1        a damaged journal
package struct FileNames: Sendable, Equatable {
    package let file: FilePath

    /// - Parameter file: The path of the file itself, not of a symbolic link to it.
    package init(_ file: FilePath) {
        self.file = file
    }

    package var folder: FilePath { file.folder }

    package var journal: FilePath { file.sibling(named: ".\(file.name).journal") }

    package var previous: FilePath { file.sibling(named: ".\(file.name).previous") }

    /// The values before the last migration.
    package var beforeMigration: FilePath { file.sibling(named: ".\(file.name).before-migration") }

    /// A random name, unused but for a chance of 1 in 2⁶⁴.
    package func newTemporary() -> FilePath {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        let zeros = String(repeating: "0", count: Self.digitCount - digits.count)
        return file.sibling(named: temporaryPrefix + zeros + digits + Self.temporarySuffix)
    }

    /// Whether it is the name of a version of the file, or of one of those beside it, that was being written.
    package func isTemporary(_ name: String) -> Bool {
        [self, FileNames(state), FileNames(schema)].contains { $0.hasTemporaryForm(name) }
    }

    private func hasTemporaryForm(_ name: String) -> Bool {
        guard name.hasPrefix(temporaryPrefix), name.hasSuffix(Self.temporarySuffix) else { return false }
        let digits = name.dropFirst(temporaryPrefix.count).dropLast(Self.temporarySuffix.count)
        return digits.count == Self.digitCount && digits.allSatisfy { $0.isHexDigit }
    }

    /// What a program only remembers, in the format of the file.
    package var state: FilePath {
        guard let dot = file.name.lastIndex(of: "."), dot != file.name.startIndex else {
            return file.sibling(named: file.name + ".state")
        }
        return file.sibling(named: "\(file.name[..<dot]).state\(file.name[dot...])")
    }

    /// Named without the extension of a JSON file, so that two files in different formats have two schemas.
    package var schema: FilePath {
        let name = file.name.hasSuffix(".json") ? String(file.name.dropLast(".json".count)) : file.name
        return file.sibling(named: "\(name).schema.json")
    }

    /// - Parameter name: Without dots, so that the locks of no other file have the same names.
    package func lock(named name: String) -> FilePath {
        file.sibling(named: ".\(file.name).\(name).lock")
    }

    package func corrupt(_ number: Int) -> FilePath {
        file.sibling(named: "\(file.name).corrupt-\(number)")
    }

    package func corruptJournal(_ number: Int) -> FilePath {
        file.sibling(named: "\(file.name).journal.corrupt-\(number)")
    }

    /// The longest name of a settings file, in bytes. Its temporary file has the longest name of all its companions.
    package static let lengthLimit = systemLimit - 2 - digitCount - temporarySuffix.utf8.count
    /// The longest file name that file systems allow, in bytes.
    private static let systemLimit = 255

    private var temporaryPrefix: String { ".\(file.name)." }
    private static let temporarySuffix = ".tmp"
    private static let digitCount = 16
}
