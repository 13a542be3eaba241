#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
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

/// A new empty folder that is removed with its contents on deinitialization.
///
/// A store that is still open then stores its settings once more, as it does whenever they are removed. Anything that
/// it recreates is removed when the process exits.
public final class TemporaryFolder: Sendable {
    /// The folder, in the system's folder for temporary files.
    public let url: URL

    /// Creates the folder. Throws what `FileManager` throws.
    public init() throws {
        url = Self.parent.appending(path: UUID().uuidString, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// The parent of all temporary folders of this process.
    private static let parent: URL = {
        atexit {
            // A store may be closing at this moment.
            var attempts = 10
            repeat {
                try? FileManager.default.removeItem(at: TemporaryFolder.parent)
                usleep(2000)
                attempts -= 1
            } while attempts > 0 && FileManager.default.fileExists(atPath: TemporaryFolder.parent.path)
        }
        return FileManager.default.temporaryDirectory
            .appending(path: "settle-\(UUID().uuidString)", directoryHint: .isDirectory)
    }()

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}

/// Runs a closure with a new empty folder, and removes the folder at the end.
public func withTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = try TemporaryFolder()
    return try withExtendedLifetime(folder) { try body($0.url) }
}

/// Runs a closure with a new empty folder, and removes the folder at the end.
public func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = try TemporaryFolder()
    let result = try await body(folder.url)
    withExtendedLifetime(folder) {}
    return result
}
