/// The line of each key in a text, nested like the dictionaries of the file.
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
    /// The lines of all keys; `nil` for a binary file, and for one that can't be read.
    package static func keyLines(in bytes: [UInt8]) -> KeyLines? {
        switch detect(bytes) {
        case .json:
            var reader = JSONReader(bytes, .commented, recordsLines: true)
            return (try? reader.readFile()).flatMap { _ in reader.lines?.root }
        case .propertyListXML:
            var reader = XMLPropertyListReader(bytes, recordsLines: true)
            return (try? reader.readDocument()).flatMap { _ in reader.lines?.root }
        default: return nil
        }
    }
}

/// Builds the lines of a text from the keys that its reader finds. A class, so that a reader without one only tests a
/// reference at each key.
final class KeyLineRecorder {
    /// The current key and those around it, the outermost first.
    private var keys: [(name: String, line: Int)] = []
    /// The lines within each of them, preceded by those at the top level.
    private var inner = [KeyLines()]
    private var line = 1
    private var counted = 0

    var root: KeyLines { inner[0] }

    /// - Parameter offset: The offset of the key. At least that of the call before.
    func beginKey(_ name: String, at offset: Int, in bytes: [UInt8]) {
        bytes[counted..<offset].withUnsafeBytes { bytes in
            for byte in bytes where byte == UInt8(ascii: "\n") { line += 1 }
        }
        counted = offset
        keys.append((name, line))
        inner.append(KeyLines())
    }

    /// Records that the value of the key has been read.
    func endKey() {
        guard let key = keys.popLast(), let lines = inner.popLast() else { return }
        inner[keys.count].add(key.name, line: key.line, lines)
    }

    /// Records that an array has been read: the keys in its elements can't be named.
    func endArray() { inner[keys.count] = KeyLines() }
}
