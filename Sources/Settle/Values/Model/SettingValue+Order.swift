#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingValue {
    /// A total order for writing unordered elements, so that equal values have equal files.
    ///
    /// Integers, reals and dates are ordered by size, strings by their bytes. Values of different kinds, and all
    /// others, have an arbitrary but fixed order.
    static func isInSpellingOrder(_ left: SettingValue, _ right: SettingValue) -> Bool {
        switch (left, right) {
        case (.bool(let left), .bool(let right)): !left && right
        case (.integer(let left), .integer(let right)): left < right
        case (.real(let left), .real(let right)): !right.isTotallyOrdered(belowOrEqualTo: left)
        case (.number(let left), .number(let right)): (left.utf8.count, left) < (right.utf8.count, right)
        case (.string(let left), .string(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.date(let left), .date(let right)): left < right
        case (.data(let left), .data(let right)): left.lexicographicallyPrecedes(right)
        case (.array(let left), .array(let right)): left.lexicographicallyPrecedes(right, by: isInSpellingOrder)
        case (.dictionary(let left), .dictionary(let right)):
            flattened(left).lexicographicallyPrecedes(flattened(right), by: isInSpellingOrder)
        default: left.rank < right.rank
        }
    }

    private static func flattened(_ entries: SettingValue.Entries) -> [SettingValue] {
        entries.sortedByKey().flatMap { [.string($0.key), $0.value] }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .integer: 2
        case .real: 3
        case .number: 4
        case .string: 5
        case .date: 6
        case .data: 7
        case .array: 8
        case .dictionary: 9
        }
    }
}
