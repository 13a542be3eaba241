import FoundationEssentials

/// As `==`, but NaN is like itself.
func isAlike(_ left: SettingTree, _ right: SettingTree) -> Bool {
    left == right || isAlike(.dictionary(left.root), .dictionary(right.root))
}

func isAlike(_ left: SettingValue, _ right: SettingValue) -> Bool {
    switch (left, right) {
    case (.real(let left), .real(let right)): left == right || left.isNaN && right.isNaN
    case (.date(let left), .date(let right)):
        left == right
            || left.timeIntervalSinceReferenceDate.isNaN && right.timeIntervalSinceReferenceDate.isNaN
    case (.array(let left), .array(let right)): left.count == right.count && zip(left, right).allSatisfy(isAlike)
    case (.dictionary(let left), .dictionary(let right)):
        left.count == right.count
            && left.allSatisfy { key, value in right[key].map { isAlike(value, $0) } ?? false }
    default: left == right
    }
}

func isSame(_ left: JournalRecord, _ right: JournalRecord) -> Bool {
    guard left.durableEnd == right.durableEnd else { return false }
    switch (left.content, right.content) {
    case (.values(let left), .values(let right)): return isSame(left, right)
    case (.edited(let leftMirror, let left), .edited(let rightMirror, let right)):
        return isSame(leftMirror, rightMirror) && isSame(left, right)
    case (.united(let left), .united(let right)):
        return left.origin == right.origin && left.mirrors.count == right.mirrors.count
            && zip(left.mirrors, right.mirrors).allSatisfy { isSame($0, $1) } && isSame(left.batch, right.batch)
    case (.kept(let left), .kept(let right)): return isSame(left, right)
    case (.state(let left), .state(let right)):
        return left.added == right.added && left.removed == right.removed && left.mirrors.count == right.mirrors.count
            && zip(left.mirrors, right.mirrors).allSatisfy { isSame($0, $1) }
    case (.past(let left), .past(let right)): return left.checksum == right.checksum && isSame(left, right)
    case (.base(let left), .base(let right)):
        return isSame(SettingValue.dictionary(left.tree.root), .dictionary(right.tree.root))
            && left.mirrors.count == right.mirrors.count
            && zip(left.mirrors, right.mirrors).allSatisfy { isSame($0, $1) }
    default: return left == right
    }
}

func isSame(_ left: JournalBase.Mirror, _ right: JournalBase.Mirror) -> Bool {
    left.version == right.version && left.isOfState == right.isOfState && isSame(left.difference, right.difference)
}

func isSame(_ left: JournalBatch, _ right: JournalBatch) -> Bool {
    left.revision == right.revision && left.author == right.author
        && isSame(left.transactions, right.transactions) && isSame(left.entries, right.entries)
}

func isSame(_ left: [JournalEntry], _ right: [JournalEntry]) -> Bool {
    left.count == right.count
        && zip(left, right).allSatisfy { left, right in left.key == right.key && isSame(left.value, right.value) }
}

/// A record's checksum is that of the place where it stands.
func isSame(_ left: JournalTransactions?, _ right: JournalTransactions?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    guard left.position == right.position, left.count == right.count, left.time == right.time,
        left.list?.count == right.list?.count
    else { return false }
    return zip(left.list ?? [], right.list ?? []).allSatisfy { left, right in
        left.time == right.time && left.author == right.author && left.origin == right.origin
            && left.undone == right.undone && left.reason == right.reason && left.count == right.count
            && left.mutations?.count == right.mutations?.count
            && zip(left.mutations ?? [], right.mutations ?? []).allSatisfy { left, right in
                left.key == right.key && left.isWithheld == right.isWithheld
                    && isSame(left.oldValue, right.oldValue) && isSame(left.newValue, right.newValue)
            }
    }
}

func isSame(_ left: SettingValue?, _ right: SettingValue?) -> Bool {
    if let left, let right { isSame(left, right) } else { left == nil && right == nil }
}
