import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Replaces an old folder with a new folder of files.
///
///     make a new folder beside it ▶ write and sync all files ▶ sync the folders ▶ move the old one aside
///         ▶ move the new one in ▶ sync the folder around ▶ remove the old one
///
/// A failure before the last move leaves the old folder at its path, or moves it back there. If a process has ended
/// between the two moves, or moving back has failed too, both folders are beside the path, under names that begin with
/// a dot. If only the last sync fails, the new folder is at the path.
struct BundleReplacement {
    private let operations: FileOperations
    private let place: FilePath
    private let files: [BundlePath: [UInt8]]

    init(_ place: FilePath, _ files: [BundlePath: [UInt8]], _ calls: any SystemCalls) {
        (self.place, self.files, operations) = (place, files, FileOperations(calls))
    }

    func run() throws(BundleFileError) {
        let found = try finishing { () throws(FileError) in try lookAtPlace() }
        switch found {
        case .somethingElse: throw BundleFileError(reason: "Something other than a settings bundle has that name.")
        case .nothing: try finishing { () throws(FileError) in try replace(isThere: false) }
        case .bundle: try finishing { () throws(FileError) in try replace(isThere: true) }
        }
    }

    private func finishing<Result>(_ body: () throws(FileError) -> Result) throws(BundleFileError) -> Result {
        do throws(FileError) {
            return try body()
        } catch {
            throw BundleFileError(reason: "\(error).", underlying: error)
        }
    }

    private func replace(isThere: Bool) throws(FileError) {
        let new = FileNames(place).newTemporary()
        let old = FileNames(place).newTemporary()
        try operations.makeFolder(new)
        do throws(FileError) {
            try fill(new)
        } catch {
            Self.remove(new)
            throw error
        }
        if isThere { try moveAside(to: old, for: new) }
        do throws(FileError) {
            try operations.rename(new, to: place)
        } catch {
            // If moving back fails, both stay.
            if !isThere || (try? operations.rename(old, to: place)) != nil { Self.remove(new) }
            throw error
        }
        // The old folder is gone from its path whether or not that is known to be stable.
        defer { if isThere { Self.remove(old) } }
        try operations.synchronizeFolder(place.folder)
    }

    private func moveAside(to old: FilePath, for new: FilePath) throws(FileError) {
        do throws(FileError) {
            try operations.rename(place, to: old)
        } catch {
            Self.remove(new)
            throw error
        }
    }

    private enum Found {
        case nothing, bundle, somethingElse
    }

    private func lookAtPlace() throws(FileError) -> Found {
        let kind: FileStatus.Kind
        do throws(FileError) {
            kind = try operations.status(at: place).kind
        } catch {
            if error.cause == .notFound { return .nothing }
            throw error
        }
        guard kind == .folder else { return .somethingElse }
        let names = try operations.names(in: place)
        return names.isEmpty || names.contains("Root.plist") ? .bundle : .somethingElse
    }

    private func fill(_ folder: FilePath) throws(FileError) {
        try operations.setPermissions(at: folder, to: Self.folderPermissions)
        var folders: Set<FilePath> = [folder]
        for (path, bytes) in files.sorted(by: { $0.key.text.precedesByBytes($1.key.text) }) {
            var parent = folder
            for name in path.names.dropLast() {
                parent = parent.appending(name)
                guard folders.insert(parent).inserted else { continue }
                try operations.makeFolder(parent)
                try operations.setPermissions(at: parent, to: Self.folderPermissions)
            }
            try write(bytes, to: parent.appending(path.name))
        }
        for folder in folders { try operations.synchronizeFolder(folder) }
    }

    private func write(_ bytes: [UInt8], to path: FilePath) throws(FileError) {
        let file = try operations.open(path, .createNew(permissions: 0o644))
        do throws(FileError) {
            try operations.write(bytes, to: file, at: path)
            try operations.synchronize(file, at: path)
        } catch {
            try? operations.close(file, at: path)
            throw error
        }
        // Some file systems report a failed write only here.
        try operations.close(file, at: path)
    }

    private static let folderPermissions: UInt16 = 0o755

    /// Removes a folder. One that is left behind has a recognizable name, and does no harm.
    private static func remove(_ folder: FilePath) {
        try? FileManager.default.removeItem(at: URL(filePath: folder.text))
    }
}
