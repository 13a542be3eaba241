import Settle

/// The spelling of settings as etcd keys.
///
///     /fleet/limits/passcode.attemptCount        a setting: the prefix and its key, with the value as JSON
///     /fleet/limits/$settle/markers/3f…          what the client has stored last
///     /fleet/limits/$settle/locks/NAME           a named lock, with the lease of its holder
///     /fleet/limits/$settle/head                 moved by every transaction of a client
///     /fleet/limits/$settle/schema               the JSON Schema of the settings
///     /fleet/limits$machines/NAME                what is in force on a machine, beside the settings
///     /fleet/limits$hosts/NAME/KEY               a setting of one machine, under a prefix of its own
struct KeySpace: Sendable, Equatable {
    let prefix: String

    init(prefix: String) {
        self.prefix = prefix.utf8.last == UInt8(ascii: "/") ? prefix : prefix + "/"
    }

    /// Prefixes are compared by their bytes, as names are.
    static func == (left: KeySpace, right: KeySpace) -> Bool { left.prefix.hasSameBytes(as: right.prefix) }

    /// Returns the etcd key for a name.
    func key(_ name: KeyName) -> [UInt8] { Array(prefix.utf8) + name.bytes }

    var range: (key: [UInt8], end: [UInt8]) { (key(""), Self.end(of: key(""))) }

    /// Returns a request for all keys.
    ///
    /// - Parameters:
    ///   - revision: The revision to read at; 0 for the current one.
    ///   - known: Restricts the answer to keys that have changed after this revision.
    func all(at revision: Int64 = 0, after known: Int64 = -1, keysOnly: Bool = false) -> RangeRequest {
        RangeRequest(
            key: range.key, end: range.end, revision: revision, minModRevision: known + 1, keysOnly: keysOnly)
    }

    /// Returns the name of a key; `nil` if it does not begin with the prefix.
    func name(of key: [UInt8]) -> KeyName? {
        let start = prefix.utf8
        return key.starts(with: start) ? KeyName(key.dropFirst(start.count)) : nil
    }

    // Machines. Not under the prefix: a report would wake all followers of the settings.
    private var machinesPrefix: String { prefix.dropLast() + "$machines/" }

    func machine(_ name: String) -> [UInt8] { Array((machinesPrefix + name).utf8) }

    var machines: (key: [UInt8], end: [UInt8]) { (machine(""), Self.end(of: machine(""))) }

    /// Returns the name of the machine that reports at a key; `nil` for another key.
    func machineName(of key: [UInt8]) -> String? {
        let start = machinesPrefix.utf8
        guard key.starts(with: start) else { return nil }
        return String(validating: key.dropFirst(start.count), as: UTF8.self)
    }

    /// The prefixes around this one, at which other clients may have settings of their own.
    var outer: [KeySpace] {
        let bytes = Array(prefix.utf8)
        return bytes.indices.dropLast().filter { bytes[$0] == UInt8(ascii: "/") }.map { index in
            KeySpace(prefix: String(decoding: bytes[...index], as: UTF8.self))
        }
    }

    /// A request that shows whether a client has a marker.
    var anyMarker: RangeRequest {
        let first = key(.marker(""))
        return RangeRequest(key: first, end: Self.end(of: first), keysOnly: true, limit: 1)
    }

    /// Returns the keys within another one: from this key to the one before the end.
    func within(_ key: SettingKey) -> (key: [UInt8], end: [UInt8]) {
        let first = self.key(KeyName(key)) + [UInt8(ascii: ".")]
        return (first, Self.end(of: first))
    }

    /// Returns the first key after all that begin with these bytes. Their last byte is never 255, which ends no text.
    private static func end(of bytes: [UInt8]) -> [UInt8] {
        var end = bytes
        if let last = end.popLast() { end.append(last + 1) }
        return end
    }
}
