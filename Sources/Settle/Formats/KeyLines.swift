/// On which line of a text each key stands, nested like the dictionaries of the file.
package struct KeyLines: Sendable, Equatable {
    private struct Entry: Sendable, Equatable {
        var line: Int
        var inner: KeyLines
    }

    // Names are compared by their bytes, as keys are.
    private var entries: [SettingKey: Entry] = [:]

    init() {}

    /// The line of a key, counted from 1; `nil` if the file does not spell it.
    package func line(of key: SettingKey) -> Int? {
        var names = key.components[...]
        let last = names.popLast() ?? ""
        var lines = self
        for name in names {
            guard let entry = lines.entries[SettingKey(name: name)] else { return nil }
            lines = entry.inner
        }
        return lines.entries[SettingKey(name: last)]?.line
    }

    mutating func add(_ name: String, line: Int, _ inner: KeyLines) {
        entries[SettingKey(name: name)] = Entry(line: line, inner: inner)
    }
}

extension FileFormat {
    /// The lines of all keys, found in one pass; `nil` for a binary file, and for one that can't be read.
    package static func keyLines(in bytes: [UInt8]) -> KeyLines? {
        switch detect(bytes) {
        case .json:
            var reader = JSONKeyLineReader(bytes)
            return try? reader.readFile()
        case .propertyListXML:
            var reader = XMLKeyLineReader(bytes)
            return try? reader.readFile()
        default: return nil
        }
    }
}

/// Turns growing byte offsets into lines.
struct LineCounter {
    private var line = 1
    private var counted = 0

    /// - Parameter offset: At least that of the call before.
    mutating func line(at offset: Int, in bytes: [UInt8]) -> Int {
        bytes[counted..<offset].withUnsafeBytes { bytes in
            for byte in bytes where byte == UInt8(ascii: "\n") { line += 1 }
        }
        counted = offset
        return line
    }
}
