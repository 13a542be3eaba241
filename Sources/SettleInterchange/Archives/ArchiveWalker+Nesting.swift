import Settle

/// Makes a tree of the objects that have been read one by one.
extension ArchiveWalker {
    /// Returns everything at the top, in which each object with one reference is in the place of that reference, and
    /// the objects with several.
    mutating func nested(
        _ top: ArchivedFields
    ) throws(ArchiveError) -> (top: ArchivedFields, sharedObjects: [ArchivedValue]) {
        var sharing = Sharing()
        let top = try top.mapValues { (value) throws(ArchiveError) in try nested(value, level: 0, &sharing) }
        var objects: [ArchivedValue] = []
        while objects.count < sharing.numbers.count {
            objects.append(try nestedObject(sharing.numbers[objects.count], level: 0, &sharing))
        }
        return (top, objects)
    }

    /// The objects with several references, by the indices that they get in the order of their first references.
    private struct Sharing {
        var numbers: [Int] = []
        private var indices: [Int: Int] = [:]

        mutating func index(of number: Int) -> Int {
            if let index = indices[number] { return index }
            indices[number] = numbers.count
            numbers.append(number)
            return numbers.count - 1
        }
    }

    private mutating func nested(
        _ value: ArchivedValue, level: Int, _ sharing: inout Sharing
    ) throws(ArchiveError) -> ArchivedValue {
        guard case .reference(let number) = value else { return try nestedElements(of: value, level, &sharing) }
        guard counts[number] == 1 else { return .reference(sharing.index(of: number)) }
        return try nestedObject(number, level: level, &sharing)
    }

    private mutating func nestedObject(
        _ number: Int, level: Int, _ sharing: inout Sharing
    ) throws(ArchiveError) -> ArchivedValue {
        step = origins[number] ?? -1
        // There is no other reference that would need it, or it is shared and nested only now.
        return try nestedElements(of: contents.removeValue(forKey: number) ?? .null, level, &sharing)
    }

    /// Levels are bounded, since these values, and programs that follow them, use stack space.
    private mutating func nestedElements(
        of value: ArchivedValue, _ level: Int, _ sharing: inout Sharing
    ) throws(ArchiveError) -> ArchivedValue {
        guard value.isContainer else { return value }
        guard level < SettingValue.depthLimit else { throw failure(.limit, SettingValue.depthReason) }
        return try value.mapElements { (element) throws(ArchiveError) in
            try nested(element, level: level + 1, &sharing)
        }
    }
}
