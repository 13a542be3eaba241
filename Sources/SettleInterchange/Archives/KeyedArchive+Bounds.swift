import Settle

/// Bounds for readers that make the objects of an archive, and follow every reference.
extension KeyedArchive {
    /// Whether objects nest more than 128 levels deep, including shared ones. A reference to an enclosing object is not
    /// followed.
    package var isDeep: Bool {
        var heights = ArchiveHeights(sharedObjects: sharedObjects)
        return top.all.contains { heights.height(of: $0.value, level: 0) == nil }
    }

    /// A use of shared collections that takes far longer to read than the archive is large.
    package enum CollectionProblem: Sendable, Hashable {
        /// A collection that contains itself, or that has over 262,144 values more than the whole archive if everything
        /// that it repeats counts each time. Converting it to one of Swift's takes as long.
        case repetition
        /// A shared collection in a set or a key, or in a collection there. Comparing those takes as long.
        case comparison
    }

    /// The first such use; `nil` if there is none. An object counts as one value of the collection that it is in.
    package var collectionProblem: CollectionProblem? {
        var extents = ArchiveExtents(of: self)
        extents.measure()
        if extents.largest > extents.valueCount + ArchiveExtents.repetitionLimit { return .repetition }
        return extents.comparesShared ? .comparison : nil
    }
}

/// Measures how deep objects nest, each shared one once.
private struct ArchiveHeights {
    let sharedObjects: [ArchivedValue]
    private var known: [Int: Int] = [:]
    private var open: Set<Int> = []

    init(sharedObjects: [ArchivedValue]) { self.sharedObjects = sharedObjects }

    /// Returns the number of levels of a value; `nil` if these and the levels around it are too many.
    mutating func height(of value: ArchivedValue, level: Int) -> Int? {
        if case .reference(let index) = value {
            if let height = known[index] { return level + height <= SettingValue.depthLimit ? height : nil }
            guard sharedObjects.indices.contains(index), open.insert(index).inserted else { return 0 }
            defer { open.remove(index) }
            let height = height(of: sharedObjects[index], level: level)
            known[index] = height
            return height
        }
        guard value.isContainer else { return 0 }
        guard level < SettingValue.depthLimit else { return nil }
        var deepest = 0
        for element in value.elements {
            guard let height = height(of: element, level: level + 1) else { return nil }
            deepest = max(deepest, height)
        }
        return deepest + 1
    }
}

/// Measures how many values collections have if what they repeat counts each time, each shared one once.
private struct ArchiveExtents {
    static let repetitionLimit = 1 << 18
    /// Two of these can be added.
    private static let unbounded = Int.max / 2

    private let sharedObjects: [ArchivedValue]
    private var known: [Int: Int] = [:]
    private var open: Set<Int> = []
    /// What is read by itself: at the top, and in objects, which their classes make once.
    private var pending: [ArchivedValue]
    /// The number of values in the archive.
    private(set) var valueCount = 0
    private(set) var largest = 0
    /// Whether a set or a key has a shared collection.
    private(set) var comparesShared = false

    init(of archive: KeyedArchive) {
        sharedObjects = archive.sharedObjects
        pending = archive.top.all.map(\.value) + archive.sharedObjects.indices.map(ArchivedValue.reference)
    }

    mutating func measure() {
        while let value = pending.popLast() {
            largest = max(largest, extent(of: value, level: 0, isCompared: false))
        }
    }

    private mutating func extent(of value: ArchivedValue, level: Int, isCompared: Bool) -> Int {
        if case .reference(let index) = value { return extent(ofShared: index, level: level, isCompared: isCompared) }
        valueCount += 1
        if case .object(let object) = value {
            pending += object.fields.all.map(\.value)
            return 1
        }
        // Each level uses stack space. Unless the archive is too deep anyway, only a cycle has more of them.
        guard level <= SettingValue.depthLimit else { return Self.unbounded }
        let (compared, others) = value.comparedElements
        var sum = 1
        for element in compared {
            sum = min(sum + extent(of: element, level: level + 1, isCompared: true), Self.unbounded)
        }
        for element in others {
            sum = min(sum + extent(of: element, level: level + 1, isCompared: isCompared), Self.unbounded)
        }
        return sum
    }

    private mutating func extent(ofShared index: Int, level: Int, isCompared: Bool) -> Int {
        guard sharedObjects.indices.contains(index) else { return 1 }
        let object = sharedObjects[index]
        if isCompared, object.isCollection { comparesShared = true }
        if let extent = known[index] { return extent }
        guard open.insert(index).inserted else { return Self.unbounded }
        let extent = extent(of: object, level: level, isCompared: false)
        known[index] = extent
        return extent
    }
}

extension ArchivedValue {
    fileprivate var isCollection: Bool {
        switch self {
        case .array, .set, .orderedSet, .dictionary: true
        default: false
        }
    }

    /// The elements that a collection compares with each other, and the others.
    fileprivate var comparedElements: (compared: [ArchivedValue], others: [ArchivedValue]) {
        switch self {
        case .set(let elements, _), .orderedSet(let elements, _): (elements, [])
        case .dictionary(let entries, _): (entries.map(\.key), entries.map(\.value))
        default: ([], elements)
        }
    }
}
