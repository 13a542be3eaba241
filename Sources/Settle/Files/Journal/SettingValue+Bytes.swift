/// A binary form for custom storages.
extension SettingValue {
    /// The value as bytes that ``init(bytes:)`` reads. Unlike JSON and property lists, they lose nothing: dates, data,
    /// numbers of any length and `null` are preserved. It is the form of the journal, and later versions will read it.
    public var bytes: [UInt8] {
        var writer = JournalValueWriter()
        writer.write(self)
        return writer.bytes
    }

    /// Decodes the bytes that ``bytes`` returns.
    ///
    /// - Throws: ``FormatError`` if the bytes are not exactly one value, or nest more than 128 levels.
    public init(bytes: some Sequence<UInt8>) throws(FormatError) {
        let bytes = Array(bytes)
        do {
            self = try bytes.withUnsafeBytes { buffer in
                var reader = JournalValueReader(buffer)
                let value = try reader.readValue()
                guard reader.isAtEnd else { throw JournalError.damaged }
                return value
            }
        } catch {
            throw FormatError(.syntax, at: .byte(0), "The \(bytes.count) bytes are not one value.")
        }
    }
}

extension SettingTree {
    /// All values as bytes that ``init(bytes:)`` reads, as ``SettingValue/bytes`` does.
    public var bytes: [UInt8] { SettingValue.dictionary(root).bytes }

    /// Decodes the bytes that ``bytes`` returns.
    ///
    /// - Throws: ``FormatError`` if the bytes are not a tree.
    public init(bytes: some Sequence<UInt8>) throws(FormatError) {
        guard case .dictionary(let root) = try SettingValue(bytes: bytes) else {
            throw FormatError(.syntax, at: .byte(0), "The bytes are a single value, not a tree of settings.")
        }
        self.init(root)
    }
}
