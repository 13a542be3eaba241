import Settle
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CommandTerminal {
    /// Writes a document, to a terminal as ``shownOnTerminal(_:as:)`` says.
    func show(_ document: [UInt8], as format: DocumentConversion.Format) throws(CommandFailure) {
        try write(showsOutput ? try shownOnTerminal(document, as: format) : document)
    }
}

/// Returns a document in which characters that could make a terminal do or show something else are escaped in the
/// format's own way, so that it is the same document.
func shownOnTerminal(_ document: [UInt8], as format: DocumentConversion.Format) throws(CommandFailure) -> [UInt8] {
    let text = String(decoding: document, as: UTF8.self)
    func digits(_ number: UInt32, _ count: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
    func units(_ scalar: Unicode.Scalar, _ mark: String) -> String {
        UTF16.encode(scalar).map { $0.map { mark + digits(UInt32($0), 4) }.joined() } ?? ""
    }
    let shown: String
    switch format {
    case .json: shown = text.escaped(keeping: ["\n"]) { units($0, "\\u") }
    case .propertyList(.xml): shown = text.escaped(keeping: ["\n", "\t"]) { "&#x\(digits($0.value, 1));" }
    case .propertyList(.oldText): shown = text.escaped(keeping: ["\n", "\t"]) { units($0, "\\U") }
    case .propertyList(.binary):
        throw CommandFailure(
            .unavailable, "A terminal can't show a binary property list. Write it to a file or a pipe.")
    }
    return Array(shown.utf8)
}

extension DocumentConversion.Format {
    var isText: Bool { self != .propertyList(.binary) }

    /// The format names that options accept.
    static let names: [(name: String, format: DocumentConversion.Format)] = [
        ("json", .json), ("xml", .propertyList(.xml)), ("binary", .propertyList(.binary)),
        ("old", .propertyList(.oldText)),
    ]

    static func named(_ name: String) throws(CommandFailure) -> DocumentConversion.Format {
        guard let found = names.first(where: { $0.name == name }) else {
            throw CommandFailure(.usage, "The form must be one of \(names.map(\.name).joined(separator: ", ")).")
        }
        return found.format
    }
}

/// Reads JSON or a property list.
///
/// - Parameter duplicateKeys: Which value of a key counts; `nil` if the verb does not let the user decide that.
func readDocument(
    _ data: Data, named name: String, duplicateKeys: PropertyList.DuplicateKeys? = nil
) throws(CommandFailure) -> (value: SettingValue, format: DocumentConversion.Format) {
    do throws(FormatError) {
        return try DocumentConversion.read(data, duplicateKeys: duplicateKeys ?? .refused)
    } catch {
        let isDecidable = error.rule == .duplicateKey && duplicateKeys != nil
        let hint = isDecidable ? " Use “--duplicate-keys first” or “last” to choose one." : ""
        throw CommandFailure(.refused, "“\(name)” can't be read. \(error)\(hint)")
    }
}

extension Error {
    /// The reason that a file can't be read or written.
    var reason: String {
        guard let error = self as? CocoaError else { return "\(self)" }
        switch error.code {
        case .fileReadNoSuchFile, .fileNoSuchFile: return "there is no such file."
        case .fileReadNoPermission, .fileWriteNoPermission: return "that is not permitted."
        case .fileWriteOutOfSpace: return "the disk is full."
        default: return "\(error)"
        }
    }
}
