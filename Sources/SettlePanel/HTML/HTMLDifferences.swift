/// What is other in one element than in another with the same elements and texts in it.
struct HTMLDifferences: Sendable, Hashable {
    /// One of them. Elements are numbered from 0, the outermost, in the order of their tags.
    enum Change: Sendable, Hashable {
        /// - Parameter value: `nil` if the attribute is gone; an empty text also if it has no value.
        case attribute(element: Int, name: String, value: String?)
        /// - Parameter child: Which of the element's children the text is, counting texts and elements.
        case text(element: Int, child: Int, text: String)
    }

    private(set) var changes: [Change] = []
    /// How many elements each of the two has.
    private(set) var elementCount = 0

    /// Compares two elements as ``HTML`` writes them.
    ///
    /// - Parameter fields: The names of fields whose values don't count.
    /// - Returns: `nil` if an element or a text comes, goes or moves, or if an input becomes one of another type.
    init?(from old: HTML, to new: HTML, leavingOut fields: [String] = []) {
        let isAlike = old.bytes.withUnsafeBufferPointer { old in
            new.bytes.withUnsafeBufferPointer { new in compare(HTMLTokens(old), HTMLTokens(new), fields) }
        }
        guard isAlike else { return nil }
    }

    /// - Returns: Whether both have the same elements and texts.
    private mutating func compare(_ old: HTMLTokens, _ new: HTMLTokens, _ fields: [String]) -> Bool {
        var (old, new) = (old, new)
        /// The elements that have not ended, each with how many children it has so far.
        var open: [(element: Int, children: Int)] = []
        while let before = old.next() {
            guard let now = new.next(), before.kind == now.kind else { return false }
            let isSame = before.bytes.elementsEqual(now.bytes)
            if now.kind == .end {
                guard isSame, open.popLast() != nil else { return false }
                continue
            }
            let parent = open.last
            if parent != nil { open[open.count - 1].children += 1 }
            if now.kind == .start {
                if !isSame, !compareTags(before, now, fields) { return false }
                if !HTML.isVoid(now.name) { open.append((elementCount, 0)) }
                elementCount += 1
            } else if !isSame {
                guard let parent else { return false }
                changes.append(
                    .text(element: parent.element, child: parent.children, text: HTML.unescaped(now.bytes)))
            }
        }
        return new.isAtEnd
    }

    /// - Returns: Whether both start the same element.
    private mutating func compareTags(_ old: HTMLTokens.Token, _ new: HTMLTokens.Token, _ fields: [String]) -> Bool {
        guard old.name.elementsEqual(new.name) else { return false }
        let (old, new) = (old.attributes, new.attributes)
        let field = new.first { $0.name == "name" }?.value
        let isLeftOut = field.map { fields.contains(HTML.unescaped($0)) } ?? false
        for (name, value) in new where !(isLeftOut && name == "value") {
            let before = old.first { $0.name == name }
            if let before, before.value.isSame(as: value) { continue }
            // What an input is decides what its other attributes mean.
            if name == "type" || name == "value" && before == nil { return false }
            changes.append(.attribute(element: elementCount, name: name, value: value.map(HTML.unescaped) ?? ""))
        }
        for (name, _) in old where !new.contains(where: { $0.name == name }) {
            if name == "type" || name == "value" { return false }
            changes.append(.attribute(element: elementCount, name: name, value: nil))
        }
        return true
    }
}

extension HTMLTokens.Bytes? {
    fileprivate func isSame(as other: HTMLTokens.Bytes?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let bytes?, let other?): bytes.elementsEqual(other)
        case (nil, _), (_, nil): false
        }
    }
}
