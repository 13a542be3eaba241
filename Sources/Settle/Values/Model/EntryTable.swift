/// Entries in one array, and a hash table that finds them by name.
///
/// A new entry is appended. So the entries of a file that was read, and their names in memory, are in the order of the
/// file, and visiting them reads memory from front to back. A `Dictionary` has them in the order of their hashes: each
/// visit to a name waits for memory, and its arrays take about twice the room.
struct EntryTable: Sendable {
    struct Entry: Sendable {
        let name: Name
        var value: SettingValue
    }

    private(set) var entries: ContiguousArray<Entry> = []
    /// A hash table with open addressing and linear probing; empty if there are few entries. The number of slots is a
    /// power of two, of which three quarters at most are in use.
    ///
    /// A slot is zero if it is empty. Otherwise its low bits, as many as a slot's number has, are the position of an
    /// entry plus one. The others are bits of the hash, which exclude nearly all other names before they are read.
    private var slots: ContiguousArray<UInt32> = []

    /// Up to this many names are compared one after the other, which needs no slots.
    private static let searchedCount = 8

    init() {}

    init(minimumCapacity count: Int) { reserveCapacity(count) }

    /// Makes room for a number of entries in total.
    mutating func reserveCapacity(_ count: Int) {
        entries.reserveCapacity(count)
        if count > Self.searchedCount, !hasSlots(for: count) { makeSlots(for: count) }
    }

    // MARK: Values

    /// The value of a name; setting `nil` removes the entry.
    subscript(name: Name) -> SettingValue? {
        get {
            switch find(name) {
            case .position(let position): entries[position].value
            case .free: nil
            }
        }
        set {
            if let newValue { updateValue(newValue, of: name) } else { remove(name) }
        }
    }

    /// - Returns: The previous value of the name.
    @discardableResult
    mutating func updateValue(_ value: consuming SettingValue, of name: consuming Name) -> SettingValue? {
        switch find(name) {
        case .position(let position):
            return exchangeValue(at: position, for: value)
        case .free(let slot, let hash):
            append(Entry(name: name, value: value), slot, hash)
            return nil
        }
    }

    /// Returns the value of a name, whose position is most often that in another version of the table: then nothing has
    /// to be searched.
    func value(of name: Name, expectedAt position: Int) -> SettingValue? {
        position < entries.count && entries[position].name == name ? entries[position].value : self[name]
    }

    /// Returns the position of a name.
    func position(of name: Name) -> Int? {
        if case .position(let position) = find(name) { position } else { nil }
    }

    /// - Returns: The previous value.
    @discardableResult
    mutating func exchangeValue(at position: Int, for value: consuming SettingValue) -> SettingValue {
        swap(&entries[position].value, &value)
        return value
    }

    // MARK: Finding

    private enum Place {
        case position(Int)
        /// The name is not there. The slot is where it would be found; neither counts without slots.
        case free(slot: Int, hash: Int)
    }

    @inline(never)
    private func find(_ name: Name) -> Place {
        guard !slots.isEmpty else {
            for position in entries.indices where entries[position].name == name { return .position(position) }
            return .free(slot: 0, hash: 0)
        }
        let hash = name.text.byteHash
        let (mask, mark) = (slots.count &- 1, mark(hash))
        var slot = hash & mask
        while slots[slot] != 0 {
            // What remains is a position plus one if the marks are equal, and more than any if they are not.
            let rest = Int(truncatingIfNeeded: slots[slot] ^ mark)
            if rest & mask == rest, entries[rest &- 1].name == name { return .position(rest &- 1) }
            slot = (slot &+ 1) & mask
        }
        return .free(slot: slot, hash: hash)
    }

    /// The bits of a hash that a slot has beside a position. They don't choose the slot.
    @inline(__always)
    private func mark(_ hash: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: hash &>> 32) & ~UInt32(truncatingIfNeeded: slots.count &- 1)
    }

    // MARK: Adding

    private mutating func append(_ entry: consuming Entry, _ slot: Int, _ hash: Int) {
        entries.append(entry)
        if hasSlots(for: entries.count) {
            slots[slot] = mark(hash) | UInt32(entries.count)
        } else if entries.count > Self.searchedCount {
            makeSlots(for: entries.count)
        }
    }

    private func hasSlots(for count: Int) -> Bool { count <= slots.count / 4 * 3 }

    @inline(never)
    private mutating func makeSlots(for count: Int) {
        var size = 16
        while size / 4 * 3 < count { size *= 2 }
        precondition(size <= 1 << 30, "A dictionary can't have \(count) entries.")
        slots = ContiguousArray(repeating: 0, count: size)
        for position in entries.indices {
            let hash = entries[position].name.text.byteHash
            var slot = hash & (size - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = mark(hash) | UInt32(position + 1)
        }
    }

    // MARK: Removing

    /// - Returns: The value that it had.
    @discardableResult
    mutating func remove(_ name: Name) -> SettingValue? {
        position(of: name).map { remove(at: $0) }
    }

    /// Removes an entry. The last one takes its position.
    @discardableResult
    mutating func remove(at position: Int) -> SettingValue {
        let last = entries.count - 1
        if !slots.isEmpty {
            empty(slot(of: position))
            // Searched for only now, because that may have moved it.
            if position != last { slots[slot(of: last)] ^= UInt32(last + 1) ^ UInt32(position + 1) }
        }
        entries.swapAt(position, last)
        return entries.removeLast().value
    }

    private func slot(of position: Int) -> Int {
        let mask = slots.count - 1
        var slot = entries[position].name.text.byteHash & mask
        while Int(truncatingIfNeeded: slots[slot]) & mask != position + 1 { slot = (slot + 1) & mask }
        return slot
    }

    /// Empties a slot, and moves those after it that would not be found any more.
    private mutating func empty(_ slot: Int) {
        let mask = slots.count - 1
        var (free, next) = (slot, (slot + 1) & mask)
        while slots[next] != 0 {
            let first = entries[(Int(truncatingIfNeeded: slots[next]) & mask) - 1].name.text.byteHash & mask
            // The free slot is between the first one that is searched for the name and its present one.
            if (next - first) & mask >= (next - free) & mask {
                slots[free] = slots[next]
                free = next
            }
            next = (next + 1) & mask
        }
        slots[free] = 0
    }
}

extension EntryTable: Hashable {
    /// The order of the entries does not count.
    static func == (left: EntryTable, right: EntryTable) -> Bool {
        guard left.entries.count == right.entries.count else { return false }
        let areShared = left.entries.withUnsafeBufferPointer { left in
            right.entries.withUnsafeBufferPointer { left.baseAddress == $0.baseAddress }
        }
        return areShared
            || left.entries.indices.allSatisfy { position in
                let entry = left.entries[position]
                return entry.value == right.value(of: entry.name, expectedAt: position)
            }
    }

    func hash(into hasher: inout Hasher) {
        var sum = 0
        for entry in entries {
            var ofEntry = Hasher()
            ofEntry.combine(entry.name)
            ofEntry.combine(entry.value)
            sum ^= ofEntry.finalize()
        }
        hasher.combine(sum)
    }
}
