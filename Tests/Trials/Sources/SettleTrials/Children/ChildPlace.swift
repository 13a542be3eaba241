import Foundation

/// Where a child works, and with which library.
struct ChildPlace: Codable, Sendable {
    var contender: ContenderKind
    /// The folder with the settings.
    var folder: String
    /// The file for the child's acknowledgements; each child has its own.
    var acknowledgements: String

    /// The settings file.
    var file: String { URL(filePath: folder).appending(path: contender.fileName).path }

    func open() async throws -> any Contender {
        try await contender.open(in: folder)
    }
}
