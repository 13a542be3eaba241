import Foundation
import Settle

/// Where a child works, and with which library.
struct ChildPlace: Codable, Sendable {
    var contender: ContenderKind
    /// The folder with the settings.
    var folder: String
    /// The file for the child's acknowledgements; each child has its own.
    var acknowledgements: String
    /// The format of Settle's file; otherwise that of its name.
    var format: Format?

    enum Format: Codable, Sendable, CaseIterable {
        case json, xml, binary

        fileprivate var format: FileFormat {
            switch self {
            case .json: .json
            case .xml: .propertyListXML
            case .binary: .propertyListBinary
            }
        }
    }

    /// The settings file.
    var file: String { URL(filePath: folder).appending(path: contender.fileName).path }

    func open() async throws -> any Contender {
        guard let format, contender == .settle else { return try await contender.open(in: folder) }
        return try await SettleContender(
            folder: URL(filePath: folder, directoryHint: .isDirectory), format: format.format)
    }
}
