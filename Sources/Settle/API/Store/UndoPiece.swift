/// The effect of a transaction at one key.
struct UndoPiece {
    var key: SettingKey
    /// The declared setting that has the key, or else the key.
    var place: SettingKey
    var before: SettingValue?
    var then: SettingValue?
}

extension SlotIndex {
    /// Splits mutations into the parts that can change on their own: declared settings, parts of them, and other keys
    /// as deep as they go. Requires the log's lock.
    func pieces(of mutations: [StoredMutation]) -> [UndoPiece] {
        var result: [UndoPiece] = []
        for (key, old, new) in mutations.outermost {
            let place = place(of: key) ?? key
            let around = ([self[place]] + around(place)).compactMap(\.self)
            if let around = around.first(where: { $0.declaration != nil }) {
                result.append(UndoPiece(key: place, place: around.key, before: old, then: new))
                continue
            }
            var (before, then) = (SettingTree(), SettingTree())
            (before[place], then[place]) = (old, new)
            for slot in within(place) where slot.declaration != nil {
                let piece = UndoPiece(key: slot.key, place: slot.key, before: before[slot.key], then: then[slot.key])
                if piece.before != piece.then { result.append(piece) }
                (before[slot.key], then[slot.key]) = (nil, nil)
            }
            result += TreeDifference(from: before, to: then).changes.map { change in
                UndoPiece(key: change.key, place: change.key, before: change.old, then: change.new)
            }
        }
        return result
    }
}
