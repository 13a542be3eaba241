import Settle
import SettleInterchange

extension CommandTerminal {
    /// Writes records for scripts: each ends with NUL, and a line feed stands between its parts.
    ///
    /// - Throws: ``CommandFailure`` if a part has a NUL itself, or a part before the last one a line feed, before
    ///   anything is written.
    func showRecords(_ records: [[String]]) throws(CommandFailure) {
        if let part = records.joined().first(where: { $0.utf8.contains(0) }) {
            throw CommandFailure(
                .refused, "“\(part.escaped())” has a NUL, which would end its record. Use --json instead of --null.")
        }
        // The last part is a value, which extends to the end of its record.
        if let part = records.lazy.flatMap({ $0.dropLast() }).first(where: { $0.utf8.contains(UInt8(ascii: "\n")) }) {
            throw CommandFailure(
                .refused, "“\(part.escaped())” has a line feed, which would end it. Use --json instead of --null.")
        }
        let lines = records.map { $0.map { showsOutput ? $0.escaped(keeping: ["\n"]) : $0 }.joined(separator: "\n") }
        try write(Array(lines.map { $0 + "\u{0}" }.joined().utf8))
    }
}

extension SettingValue {
    /// The value in a record: an array or a dictionary is JSON on one line, anything else as `read` shows it.
    var recordText: String {
        switch self {
        case .array, .dictionary: line
        default: DefaultsText.text(of: self)
        }
    }
}

extension SettingTree {
    /// Returns a record of the key and the value for each value that is not a dictionary, sorted by key.
    func records(
        within declared: DeclaredSettings, where isShown: (SettingKey, SettingValue) -> Bool = { _, _ in true }
    ) -> [[String]] {
        leaves(within: declared).sorted().compactMap { key in
            guard let value = self[key], isShown(key, value) else { return nil }
            return [key.description, value.recordText]
        }
    }
}
