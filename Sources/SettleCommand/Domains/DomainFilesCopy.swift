package import Settle

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The files of a domain at one moment, in a separate folder, for operations that must not happen to the originals.
package struct DomainFilesCopy {
    private let scratch: ScratchFolder
    private let original: FileNames
    /// The path by which programs open the file, which may be that of a link.
    private let file: FilePath

    private static let companions = [\FileNames.file, \.journal, \.previous, \.state]
    /// The number of attempts if a program writes meanwhile.
    private static let attempts = 50
    /// The size of the largest journal that programs read, in bytes.
    private static let journalLimit = FileStorage.journalCapacity + (1 << 20)

    /// - Parameter didCopy: Called with each file that has been copied.
    /// - Throws: ``CommandFailure`` if a file is there that can't be read, or if the files keep changing.
    package init(of file: URL, didCopy: (FilePath) throws -> Void = { _ in }) throws {
        let path = FilePath(file.path)
        original = FileNames(try FileOperations(POSIXSystemCalls()).resolve(path).resolved)
        scratch = try ScratchFolder()
        self.file = FilePath(scratch.url.path).appending(path.name)
        do {
            try fill(didCopy)
        } catch {
            remove()
            throw error
        }
    }

    package func remove() { scratch.remove() }

    private var folder: FilePath { file.folder }

    /// Copies until nothing has changed from the first check to the last: a file and a journal of two moments look
    /// damaged. Works without the lock: taking it would delay the programs that write, and need their permission.
    private func fill(_ didCopy: (FilePath) throws -> Void) throws {
        for _ in 0..<Self.attempts {
            let before = try states()
            for name in Self.companions {
                try copy(original[keyPath: name])
                try didCopy(original[keyPath: name])
            }
            if try states() == before { return try link() }
        }
        throw CommandFailure(
            .unavailable, "“\(original.file)” keeps changing. Try again when its program is idle.")
    }

    private func states() throws -> [FileStatus?] {
        try Self.companions.map { name in
            do throws(FileError) {
                return try FileOperations(POSIXSystemCalls()).status(at: original[keyPath: name])
            } catch {
                guard error.cause == .notFound || error.cause == .notFolder else { throw error }
                return nil
            }
        }
    }

    /// Copies the bytes, so that no link in the copy leads to the original.
    private func copy(_ path: FilePath) throws {
        let target = URL(filePath: folder.appending(path.name).text)
        let limit = path == original.journal ? Self.journalLimit : FileStorage.sizeLimit
        guard let bytes = try FileOperations(POSIXSystemCalls()).contentsIfThere(of: path, limit: limit) else {
            try? FileManager.default.removeItem(at: target)
            return
        }
        do {
            try scratch.withCreation { try Data(bytes).write(to: target) }
        } catch {
            throw CommandFailure(.failed, "“\(target.path)” can't be written: \(error.reason)")
        }
    }

    /// Makes the name by which a program opens the file, since it may determine the format.
    private func link() throws {
        guard file.name != original.file.name else { return }
        try scratch.withCreation {
            try FileManager.default.createSymbolicLink(atPath: file.text, withDestinationPath: original.file.name)
        }
    }

    /// Returns the contents that a program would find.
    package func salvaged() throws -> StorageContents { try scratch.withCreation(load) }

    private func load() throws -> StorageContents {
        let storage = FileStorage(at: URL(filePath: file.text))
        defer { storage.close() }
        do {
            var contents = try storage.load()
            _ = MigrationRecord(takenFrom: &contents.tree)
            contents.outcome = contents.outcome.changingDescription(withOriginalPaths)
            return contents
        } catch {
            var error = error
            error.description = withOriginalPaths(error.description)
            throw error
        }
    }

    /// Replaces the paths of the copies in a text.
    private func withOriginalPaths(_ text: String) -> String {
        var text = text
        for path in [original.journal, original.state] {
            text = text.replacing(folder.appending(path.name).text, with: path.text)
        }
        return text.replacing(folder.text, with: original.folder.text)
    }
}

extension StorageContents.Outcome {
    fileprivate func changingDescription(_ change: (String) -> String) -> Self {
        switch self {
        case .absent, .intact: self
        case .recovered(let description, let isComplete):
            .recovered(description: change(description), isComplete: isComplete)
        case .removed(let description): .removed(description: change(description))
        }
    }
}
