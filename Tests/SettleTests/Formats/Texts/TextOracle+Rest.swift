/// What is the same before and after.
extension TextOracle {
    /// A token that stays, or a mark for a value that is replaced, with the white space and the commas in front of it.
    private struct Item {
        var gap: [UInt8] = []
        var text: [UInt8] = []
        var leeway = Leeway.none
        var isUnclear = false
        /// Whether an entry in front of it has come or gone, with one line end or the other.
        var isBesideLine = false
    }

    mutating func compareRest() {
        let (old, new) = (items(before), items(after))
        var (oldIndex, newIndex) = (0, 0)
        var unclear = Item()
        while oldIndex < old.count {
            var item = old[oldIndex]
            oldIndex += 1
            if unclear.isUnclear {
                item.gap = unclear.gap + item.gap
                item.leeway = .all
                unclear = Item()
            }
            guard newIndex < new.count else { return complain("The end is missing, from \(show(item.text)) on") }
            let other = new[newIndex]
            guard item.text == other.text else {
                guard item.isUnclear else { return complain("\(show(other.text)) is where \(show(item.text)) was") }
                unclear = item
                continue
            }
            newIndex += 1
            if !isAlike(item, other) {
                complain("\(show(other.gap)) is in front of \(show(item.text)), where \(show(item.gap)) was")
            }
        }
        if newIndex < new.count { complain("\(show(new[newIndex].text)) is new") }
    }

    private func items(_ side: Side) -> [Item] {
        var items: [Item] = []
        var item = Item()
        for (index, token) in side.document.tokens.enumerated() {
            item.leeway = max(item.leeway, side.leeways[index])
            switch side.roles[index] {
            case .line:
                item.isBesideLine = true
                continue
            case .rest: continue
            case .cut:
                item.leeway = max(item.leeway, .space)
                continue
            case .replaced: item.text = Array("(a new value)".utf8)
            case .unclear where token.kind == .comment:
                item.isUnclear = true
                item.leeway = .all
                item.text = token.bytes
            case .kept where token.kind == .space || token.kind == .lineEnd || token.kind == .comma, .unclear:
                item.gap += token.bytes
                continue
            case .kept: item.text = token.bytes
            }
            items.append(item)
            item = Item()
            // What is around a comment that is unclear may go with it.
            if side.roles[index] == .unclear { item.leeway = .all }
        }
        item.leeway = max(item.leeway, side.leeways[side.document.tokens.count])
        return items + [item]
    }

    private func max(_ one: Leeway, _ other: Leeway) -> Leeway { one.rawValue < other.rawValue ? other : one }

    private func isAlike(_ old: Item, _ new: Item) -> Bool {
        var (oldGap, newGap) = (old.gap, new.gap)
        if hasMixedLineEnds, old.isBesideLine || new.isBesideLine {
            oldGap.removeAll { $0 == 0x0D }
            newGap.removeAll { $0 == 0x0D }
        }
        return switch max(old.leeway, new.leeway) {
        case .none: oldGap == newGap
        case .comma: withoutComma(oldGap) == withoutComma(newGap)
        case .space: lineCount(newGap) <= lineCount(oldGap)
        case .all: true
        }
    }

    var hasMixedLineEnds: Bool {
        let lineEnd = before.document.tokens.first { $0.kind == .lineEnd }
        return before.document.tokens.contains { $0.kind == .lineEnd && $0 != lineEnd }
    }

    /// Without the comma, and the spaces around it.
    private func withoutComma(_ gap: [UInt8]) -> [UInt8] {
        let end = gap.firstIndex { $0 == 0x0D || $0 == 0x0A } ?? gap.endIndex
        return gap[..<end].filter { ![0x20, 0x09, UInt8(ascii: ",")].contains($0) }
            + gap[end...].filter { $0 != UInt8(ascii: ",") }
    }

    private func lineCount(_ gap: [UInt8]) -> Int { gap.count { $0 == 0x0A } }

    private func show(_ text: [UInt8]) -> String { String(decoding: text, as: UTF8.self).debugDescription }
}
