import Foundation
import Settle

/// Where a child works, and with which library.
struct ChildPlace: Codable, Sendable {
    var contender: ContenderKind
    /// The folder with the settings.
    var folder: String
    /// The file for the child's acknowledgements; each child has its own.
    var acknowledgements: String
    /// The child's secret store: a folder outside of the one with the settings.
    var secrets: String
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

        var format: FileFormat {
            switch self {
            case .json: .json
            case .xml: .propertyListXML
            case .binary: .propertyListBinary
            }
        }
    }

    /// The settings file.
    var file: String { URL(filePath: folder).appending(path: contender.fileName).path }

    /// The domains of Settle's store.
    var searching: SearchList {
        [.secretStore(in: URL(filePath: secrets, directoryHint: .isDirectory)), .application]
    }

    func open() async throws -> any Contender {
        switch contender {
        case .settle: try await SettleContender(self)
        case .userDefaults: try UserDefaultsContender(folder: URL(filePath: folder, directoryHint: .isDirectory))
        }
    }
}
