import Settle
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Invocation {
    /// The form that was asked for; `nil` for the usual one.
    var format: Conversion.Format? {
        if has(.json) { return .json }
        return has(.propertyList) ? .propertyList(.xml) : nil
    }

    /// Writes a value as a document, and says on standard error what the format could not keep.
    func show(_ value: SettingValue, as format: Conversion.Format) throws {
        let conversion = try Conversion(of: value, to: format)
        try terminal.write([UInt8](conversion.data) + (conversion.data.last == 0x0A || !format.isText ? [] : [0x0A]))
        for loss in conversion.losses { terminal.complain("\(loss)") }
    }
}

extension Conversion.Format {
    var isText: Bool { self != .propertyList(.binary) }

    /// The names that options take.
    static let names: [(name: String, format: Conversion.Format)] = [
        ("json", .json), ("xml", .propertyList(.xml)), ("binary", .propertyList(.binary)),
        ("old", .propertyList(.oldText)),
    ]

    static func named(_ name: String) throws(CommandFailure) -> Conversion.Format {
        guard let found = names.first(where: { $0.name == name }) else {
            throw CommandFailure(.usage, "A form is one of \(names.map(\.name).joined(separator: ", ")).")
        }
        return found.format
    }
}

/// Reads JSON or a property list.
func readDocument(
    _ data: Data, named name: String
) throws(CommandFailure) -> (value: SettingValue, format: Conversion.Format) {
    do {
        return try Conversion.read(data)
    } catch {
        throw CommandFailure(.refused, "\"\(name)\" can't be read. \(error)")
    }
}

extension Invocation {
    /// The contents of a file, or of standard input for `-`.
    func read(_ path: String) throws(CommandFailure) -> Data {
        guard path != "-" else { return Data(try terminal.readInput()) }
        do {
            return try Data(contentsOf: URL(filePath: path.expandingHome))
        } catch {
            throw CommandFailure(.failed, "\"\(path)\" can't be read: \(error.reason)")
        }
    }

    /// Replaces a file, or writes to standard output for `-`. Others see the old contents or the new ones.
    func write(_ data: Data, to path: String) throws(CommandFailure) {
        guard path != "-" else { return try terminal.write([UInt8](data)) }
        do {
            try data.write(to: URL(filePath: path.expandingHome), options: .atomic)
        } catch {
            throw CommandFailure(.failed, "\"\(path)\" can't be written: \(error.reason)")
        }
    }
}

extension Error {
    /// Why a file can't be read or written.
    fileprivate var reason: String {
        guard let error = self as? CocoaError else { return "\(self)" }
        switch error.code {
        case .fileReadNoSuchFile, .fileNoSuchFile: return "there is no such file."
        case .fileReadNoPermission, .fileWriteNoPermission: return "that is not permitted."
        case .fileWriteOutOfSpace: return "the disk is full."
        default: return "\(error)"
        }
    }
}
