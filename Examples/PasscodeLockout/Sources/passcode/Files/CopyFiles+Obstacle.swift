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

extension CopyFiles {
    /// Why a try could not be stored in these settings files, as a sentence; `nil` if nothing shows that it could not.
    ///
    /// It changes nothing, so it does not see everything: a full disk shows only when something is written. Other
    /// processes' locks are no obstacle, because they end.
    static func obstacle(to files: [URL]) -> String? {
        // The last folder is that of the state. The lock writes nothing into the others.
        files.lazy.compactMap { all(of: $0).last?.obstacle }.first
    }

    private var obstacle: String? {
        let folder = Self.existing(folder)
        guard access(folder.path, W_OK | X_OK) == 0 else { return Self.refusal(of: folder) }
        for file in [journal, turn] {
            guard let kind = Self.kind(of: file) else { continue }
            // A journal that is a folder is put aside. Links are not followed there.
            if kind == S_IFDIR, file == journal { continue }
            guard kind == S_IFREG else {
                return "“\(file.path)” is \(kind == S_IFDIR ? "a folder" : "a link or a device"), and must be a file."
            }
            guard access(file.path, W_OK) == 0 else { return Self.refusal(of: file) }
        }
        // It is replaced, so its permissions don't matter. Whether it may be replaced does.
        if access(state.path, W_OK) != 0, [EPERM, EROFS].contains(errno) { return Self.refusal(of: state) }
        return nil
    }

    /// The folder itself, or the nearest one around it, in which it would be made.
    private static func existing(_ folder: URL) -> URL {
        var folder = folder
        while folder.path != "/", !FileManager.default.fileExists(atPath: folder.path) {
            folder = folder.deletingLastPathComponent()
        }
        return folder
    }

    private static func kind(of file: URL) -> mode_t? {
        var status = stat()
        return lstat(file.path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// A sentence about the last failed call.
    private static func refusal(of file: URL) -> String {
        "“\(file.path)” can't be written: \(String(cString: strerror(errno)))."
    }
}
