package import Foundation
import Settle

/// The bytes of a journal: what it keeps of the past, and everything else.
package struct JournalParts {
    package static let past = "past"

    package let past: Data
    package let rest: Data

    package init(_ journal: Data) {
        let header = journal.withUnsafeBytes { try? JournalHeader.decode($0) }
        let base = header.map { min(Int($0.base), journal.count) } ?? JournalHeader.size
        past = journal.dropFirst(JournalHeader.size).prefix(max(0, base - JournalHeader.size))
        rest = journal.dropFirst(base)
    }

    /// Which of the files of a folder have a text, with ``past`` for the past in a journal.
    ///
    /// - Parameter contents: Of the file of a name.
    package static func names(
        _ names: [String], with text: String, contents: (String) throws -> Data?
    ) rethrows -> [String] {
        var found: [String] = []
        let text = Data(text.utf8)
        for name in names {
            guard let data = try contents(name) else { continue }
            let parts = name.hasSuffix(".journal") ? JournalParts(data) : nil
            if parts?.past.range(of: text) != nil { found.append(past) }
            if (parts?.rest ?? data).range(of: text) != nil { found.append(name) }
        }
        return found
    }
}
