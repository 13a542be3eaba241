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

        /// A file as somebody may have written it, and what of it every save leaves as it is.
        var handwritten: (text: String, lines: [String])? {
            switch self {
            case .json:
                (
                    "// By hand\n{\n\t\"zone\": 1.50, // ours\n}",
                    ["// By hand\n{\n", "\t\"zone\": 1.50, // ours\n"]
                )
            case .xml:
                (
                    "<plist>\n<dict>\n <!-- By hand -->\n <key>zone</key> <real>1.50</real> <!-- ours -->\n</dict></plist>",
                    ["<plist>\n<dict>\n", " <!-- By hand -->\n", " <key>zone</key> <real>1.50</real> <!-- ours -->\n"]
                )
            case .binary: nil
            }
        }

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
