import Foundation
import Settle

/// Judges a settings file into which values have been saved, by the file from before and the values.
///
/// Knows which bytes belong to what from parsing both files on its own. Then it takes away, in both, what may differ
/// (the changed values, the removed and the new entries), and compares the rest. It is strict where the rules of saving
/// say what happens, and lets pass any white space and any comment about which they say nothing.
struct TextOracle {
    /// What a token has to do with the changes.
    enum Role {
        case kept
        /// Part of a removed or new entry, with all of its line.
        case line
        /// Part of a removed or new entry that shares its line.
        case cut
        /// The first token, and another one, of a value that is replaced as a whole.
        case replaced, rest
        /// A comment that may stay or go.
        case unclear
    }

    /// How much the white space and commas in front of a token may differ.
    enum Leeway: Int { case none, comma, space, all }

    struct Side {
        let document: TextDocument
        var roles: [Role]
        var leeways: [Leeway]

        init(_ document: TextDocument) {
            self.document = document
            roles = Array(repeating: .kept, count: document.tokens.count + 1)
            leeways = Array(repeating: .none, count: document.tokens.count + 1)
        }

        mutating func mark(_ range: ClosedRange<Int>, _ role: Role) { for token in range { roles[token] = role } }

        /// Leaves out an entry; returns whether it is alone on its lines.
        @discardableResult mutating func cut(_ entry: TextDocument.Entry) -> Bool {
            let (end, unclear) = document.end(of: entry)
            for comment in unclear + document.commentsBefore(entry.key) { roles[comment] = .unclear }
            guard let first = document.lineStart(of: entry.key), let last = document.lineEnd(behind: end) else {
                mark(entry.key...end, .cut)
                return false
            }
            mark(first...last, .line)
            return true
        }

        mutating func loosen(_ token: Int, _ leeway: Leeway) {
            if leeways[token].rawValue < leeway.rawValue { leeways[token] = leeway }
        }
    }

    let format: FileFormat
    var before: Side
    var after: Side
    private(set) var complaints: [String] = []

    /// What is wrong with `after`; empty if nothing is.
    static func complaints(
        _ before: [UInt8], _ after: [UInt8], _ tree: SettingTree, _ format: FileFormat
    ) -> [String] {
        do {
            let original = try TextDocument(before, format)
            let target = try format.decode(try format.encode(tree))
            guard let result = try? TextDocument(after, format) else { return ["The result is no settings file."] }
            var oracle = TextOracle(format: format, before: Side(original), after: Side(result))
            if try format.encode(result.tree) != format.encode(target) { oracle.complain("Other values") }
            oracle.compareRoots(original.root, result.root, target.root)
            oracle.compareRest()
            if isStrictJSON(before, format), !isStrictJSON(after, format) { oracle.complain("No strict JSON any more") }
            return oracle.complaints
        } catch {
            return ["The oracle can't read: \(error)"]
        }
    }

    private init(format: FileFormat, before: Side, after: Side) {
        self.format = format
        self.before = before
        self.after = after
    }

    /// Foundation refuses numbers that it has no room for, but not behind a key that comes again in another form of
    /// Unicode.
    private static func isStrictJSON(_ text: [UInt8], _ format: FileFormat) -> Bool {
        guard format == .json else { return false }
        return (try? JSONSerialization.jsonObject(with: Data(text))) != nil
            || (try? JSONFormat(isStrict: true).decode(text)) != nil
    }

    mutating func complain(_ complaint: String) { complaints.append(complaint) }

    /// Whether the format spells both alike, which `==` does not tell: of 0 and -0, and of two forms of "é".
    private func isAlike(_ one: SettingValue, _ other: SettingValue) -> Bool {
        guard let one = try? format.encode(SettingTree(["": one])) else { return false }
        return one == (try? format.encode(SettingTree(["": other])))
    }

    private mutating func compareRoots(
        _ old: TextDocument.Object, _ new: TextDocument.Object, _ target: SettingValue.Entries
    ) {
        switch (old.open == old.close, new.open == new.close) {
        case (true, true): break
        case (true, false): replace(old.open...old.close, new.open...new.close)
        case (false, true): complain("The settings are replaced, not entered")
        case (false, false): compare(old, new, target, "")
        }
    }

    private mutating func replace(_ old: ClosedRange<Int>, _ new: ClosedRange<Int>) {
        before.mark(old, .rest)
        before.roles[old.lowerBound] = .replaced
        after.mark(new, .rest)
        after.roles[new.lowerBound] = .replaced
    }

    /// Compares two dictionaries entry by entry, and marks what differs.
    private mutating func compare(
        _ old: TextDocument.Object, _ new: TextDocument.Object, _ target: SettingValue.Entries, _ path: String
    ) {
        compareOrder(old, new, path)
        compareTrailingCommas(old, new, path)
        for entry in old.entries {
            guard let value = target[entry.name] else {
                before.cut(entry)
                continue
            }
            guard let other = new.entry(entry.name) else { continue }
            compareCommas(entry, other, old, new, path)
            if let object = entry.value.object, case .dictionary(let entries) = value {
                guard let otherObject = other.value.object else {
                    complain("\(path)\(entry.name) is replaced, not entered")
                    continue
                }
                compare(object, otherObject, entries, path + entry.name + ".")
            } else if !isAlike(entry.value.value, value) {
                replace(entry.value.tokens, other.value.tokens)
            }
        }
        for (index, entry) in new.entries.enumerated() where old.entry(entry.name) == nil {
            checkAddition(entry, index, old, new, path)
        }
        if old.entries.isEmpty != new.entries.isEmpty {
            for token in (old.open + 1)...old.close { before.loosen(token, .all) }
            for token in (new.open + 1)...new.close { after.loosen(token, .all) }
        }
    }

    private mutating func compareOrder(_ old: TextDocument.Object, _ new: TextDocument.Object, _ path: String) {
        let kept = old.names.filter { new.entry($0) != nil }
        if new.names.filter({ old.entry($0) != nil }) != kept { complain("Another order of the entries of “\(path)”") }
        let added = new.names.filter { old.entry($0) == nil }
        guard !added.isEmpty else { return }
        if old.isSorted {
            if !new.isSorted { complain("“\(path)” is no longer sorted") }
        } else if new.names != kept + added || !added.isSortedByBytes {
            // What is removed at the same time may have been what was out of order.
            if !(kept.isSortedByBytes && new.isSorted) { complain("A new entry of “\(path)” is not behind the others") }
        }
    }

    private mutating func compareTrailingCommas(
        _ old: TextDocument.Object, _ new: TextDocument.Object, _ path: String
    ) {
        guard let last = new.entries.last else { return }
        if (last.comma != nil) != (old.entries.last?.comma != nil) { complain("The last comma of “\(path)”") }
    }

    private mutating func compareCommas(
        _ old: TextDocument.Entry, _ new: TextDocument.Entry, _ oldObject: TextDocument.Object,
        _ newObject: TextDocument.Object, _ path: String
    ) {
        switch (old.comma, new.comma) {
        case (let comma?, nil): before.loosen(comma, .comma)
        case (nil, let comma?):
            after.loosen(comma, .comma)
            let gap = (new.value.tokens.upperBound + 1)..<comma
            if after.document.tokens[gap].contains(where: { $0.kind == .lineEnd }) {
                complain("The new comma of \(path)\(new.name) is on another line")
            }
        case (let oldComma?, let newComma?):
            // One entry behind it has gone, and another one has come: the comma may be that of either.
            let isGone = oldObject.entry(after: old).map { newObject.entry($0.name) == nil } ?? false
            let isNew = newObject.entry(after: new).map { oldObject.entry($0.name) == nil } ?? false
            guard isGone, isNew else { return }
            before.loosen(oldComma, .comma)
            after.loosen(newComma, .comma)
        case (nil, nil): break
        }
    }
}
