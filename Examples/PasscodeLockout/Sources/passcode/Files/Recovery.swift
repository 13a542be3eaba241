import Foundation

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

/// Sets a lock's files aside, so that a new passcode can be chosen. It removes nothing.
struct Recovery {
    private let copies: [CopyFiles]
    /// What is there, the files with the lock's state first.
    let files: [URL]
    /// The new folder beside the files of each copy; often it is the same for both.
    private let targets: [URL]

    init(of copies: [URL]) throws {
        self.copies = copies.flatMap(CopyFiles.all)
        files = try self.copies.flatMap { try $0.present() }
        targets = self.copies.map { Self.unusedFolder(in: $0.folder) }
    }

    /// Files that only a lock, or a user who has emptied one, leaves behind. Lock files are there as soon as anyone
    /// has asked for the status. In a journal, and in a file for people, which may have a policy before there is a
    /// lock, the store itself looks for what a lock has left; where there is nothing at all any more, it would find
    /// nothing.
    var traces: [URL] {
        files.filter { file in
            if ["lock", "tmp"].contains(file.pathExtension) { return false }
            guard file.pathExtension == "journal" || copies.contains(where: { $0.isForPeople(file) }) else {
                return true
            }
            let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
            return attributes?[.size] as? Int == 0
        }
    }

    /// The folders to which the files go.
    var folders: [URL] {
        targets.reduce(into: []) { folders, target in
            let folder = target.deletingLastPathComponent().path
            let isUsed = files.contains { $0.deletingLastPathComponent().path == folder }
            if isUsed, !folders.contains(target) { folders.append(target) }
        }
    }

    /// Moves the files. A crash leaves some of them where they were: then nothing can be enrolled, and it can be
    /// repeated.
    ///
    /// - Throws: ``RecoveryError``
    func run() throws {
        let turns = try FileTurns(files)
        for (copy, target) in zip(copies, targets) {
            let files = try copy.present()
            guard !files.isEmpty else { continue }
            try Self.makeFolder(target)
            for file in files { try Self.move(file, to: target) }
            Self.synchronize(target)
            Self.synchronize(copy.folder)
        }
        withExtendedLifetime(turns) {}
        guard try copies.allSatisfy({ try $0.present().isEmpty }) else {
            throw RecoveryError(
                "A program has rewritten the lock's files. End all programs that use it, and try again.")
        }
    }

    private static func unusedFolder(in folder: URL) -> URL {
        var number = 1
        while true {
            let target = folder.appending(path: "passcode.recovered-\(number)", directoryHint: .isDirectory)
            guard FileManager.default.fileExists(atPath: target.path) else { return target }
            number += 1
        }
    }

    private static func makeFolder(_ folder: URL) throws {
        guard mkdir(folder.path, 0o700) == 0 || errno == EEXIST else {
            throw RecoveryError("“\(folder.path)” can't be made: \(String(cString: strerror(errno))).")
        }
    }

    private static func move(_ file: URL, to folder: URL) throws {
        guard rename(file.path, folder.appending(path: file.lastPathComponent).path) == 0 else {
            throw RecoveryError("“\(file.path)” can't be moved: \(String(cString: strerror(errno))).")
        }
    }

    /// Makes the names in a folder durable. If that fails, a power failure may undo the move, and it can be repeated.
    private static func synchronize(_ folder: URL) {
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

/// Why a lock's files were not set aside.
struct RecoveryError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
