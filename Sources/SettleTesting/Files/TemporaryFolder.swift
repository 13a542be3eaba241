#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A new empty folder that is removed with its contents on deinitialization.
public final class TemporaryFolder: Sendable {
    /// The folder, in the system's folder for temporary files.
    public let url: URL

    /// Creates the folder. Throws what `FileManager` throws.
    public init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "settle-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

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
