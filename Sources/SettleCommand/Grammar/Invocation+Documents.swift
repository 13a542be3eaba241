import Settle
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Invocation {
    /// The requested format; `nil` for the usual one.
    var format: DocumentConversion.Format? {
        if has(.json) { return .json }
        return has(.propertyList) ? .propertyList(.xml) : nil
    }

    /// Writes a value as a document, and reports on standard error what the format could not represent.
    func show(_ value: SettingValue, as format: DocumentConversion.Format) throws {
        try write(try DocumentConversion(of: value, to: format), as: format, to: "-")
    }

    /// Writes a document to a file, or to standard output for `-` or a path such as `/dev/stdout`, and reports what it
    /// could not represent.
    func write(
        _ conversion: DocumentConversion, as format: DocumentConversion.Format, to path: String
    ) throws(CommandFailure) {
        let document = [UInt8](conversion.data)
        let file = DocumentFile(path)
        if path == "-" || file.isOutput {
            let isWhole = document.last == 0x0A || !format.isText
            try terminal.show(document + (isWhole ? [] : [0x0A]), as: format)
        } else {
            try DomainAddress.checkOwner(of: URL(filePath: path.expandingHome))
            try file.write(document) { () throws(CommandFailure) in try shownOnTerminal(document, as: format) }
        }
        for loss in conversion.losses { terminal.complain("\(loss)") }
    }

    /// Returns the contents of a file, or of standard input for `-` or a path such as `/dev/stdin`.
    func read(_ path: String) throws(CommandFailure) -> Data {
        let file = DocumentFile(path)
        return Data(path == "-" || file.isInput ? try terminal.readInput() : try file.read())
    }
}
