/// Checks whether a value can be stored at a key, without encoding it.
package struct StorableCheck {
    /// `nil` only checks for values that no storage can hold.
    private let format: FileFormat?
    /// The approximate number of bytes that the file needs for the value.
    private(set) var size = 0

    /// A value may take nearly all of a file.
    private static let sizeLimit = FormatLimits.bytes - (1 << 20)
    /// Longer texts are examined byte by byte, because escapes may make them several times as long.
    private static let longText = 1 << 16

    /// - Throws: ``FormatError`` with the key within the value, if it nests too deeply for its key, is too large, or
    ///   has a part that can't be represented.
    package static func check(_ value: SettingValue, at key: SettingKey, as format: FileFormat? = nil)
        throws(FormatError)
    {
        if isAlwaysStorable(value, at: key) { return }
        let depth = key.depth
        var check = StorableCheck(format: format)
        try checkDepth(depth)
        try check.check(value, below: depth)
    }

    /// Returns whether every format can hold the value: a quick test that covers nearly all writes.
    package static func isAlwaysStorable(_ value: SettingValue, at key: SettingKey) -> Bool {
        switch value {
        // Each name of the key takes a byte and a dot after it.
        case .null, .bool, .integer: key.description.utf8.count < 2 * SettingValue.depthLimit
        default: false
        }
    }

    private init(format: FileFormat?) { self.format = format }

    /// - Parameter depth: The number of dictionaries and arrays around the value.
    private mutating func check(_ value: SettingValue, below depth: Int) throws(FormatError) {
        switch value {
        case .null, .bool, .integer: size += 24
        case .real(let real):
            size += 24
            if !real.isFinite { try checkSpelling(of: value) }
        case .number(let literal):
            size += literal.utf8.count
            guard DecimalNumber.isLiteral(literal) else {
                throw FormatError(.unsupportedValue, at: .key(""), "This is not a number.")
            }
            try checkSpelling(of: value)
        case .date(let date):
            size += 40
            _ = try DateSpelling(date)
        case .string(let text): size += spelledSize(of: text)
        case .data(let data): size += format == .propertyListBinary ? data.count : data.count / 3 * 4
        case .array(let elements):
            try Self.checkDepth(depth + 1)
            for (position, element) in elements.enumerated() {
                try check(element, below: depth + 1, at: String(position))
            }
        case .dictionary(let entries):
            try Self.checkDepth(depth + 1)
            for (name, entry) in entries {
                size += spelledSize(of: name)
                try check(entry, below: depth + 1, at: name)
            }
        }
        guard size <= Self.sizeLimit else {
            throw FormatError(.limit, at: .key(""), "It needs more than \(Self.sizeLimit >> 20) MiB.")
        }
    }

    private mutating func check(
        _ value: SettingValue, below depth: Int, at name: @autoclosure () -> String
    ) throws(FormatError) {
        // A line of its own with its indentation, and the tags of XML.
        size += format == .propertyListXML ? 40 + depth : 4 + 2 * depth
        do throws(FormatError) {
            try check(value, below: depth)
        } catch {
            throw error.rule == .limit ? error : error.below(name())
        }
    }

    private func checkSpelling(of value: SettingValue) throws(FormatError) {
        guard let format else { return }
        do throws(FormatError) {
            _ = try format.encode(SettingTree(["": value]))
        } catch {
            throw FormatError(error.rule, at: .key(""), error.reason)
        }
    }

    private func spelledSize(of text: String) -> Int {
        let count = text.utf8.count
        guard count > Self.longText else { return count }
        switch format {
        case .json, .strictJSON, nil:
            return text.utf8.reduce(0) { $0 + ($1 < 0x20 || $1 == 0x7F ? 6 : $1 == 0x22 || $1 == 0x5C ? 2 : 1) }
        case .propertyListXML: return text.utf8.reduce(0) { $0 + ($1 < 0x40 ? 6 : 1) }
        default: return 2 * count
        }
    }

    private static func checkDepth(_ depth: Int) throws(FormatError) {
        guard depth <= SettingValue.depthLimit else {
            throw FormatError(.limit, at: .key(""), SettingValue.depthReason)
        }
    }
}
