#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The number of characters, elements or entries lies in a range.
struct CountConstraint<Value: Sendable, Counted: Collection, Range: RangeExpression<Int> & Sendable>: RuleConstraint {
    let range: Range
    let counted: @Sendable (Value) -> Counted

    var words: String { "of \(Redacted(typed: range).range() ?? "any number of") \(unit)" }

    func accepts(_ value: Value) -> Bool { range.contains(counted(value).count) }

    func described(_ encode: (Value) -> SettingValue?) -> RuleDescription {
        let ends = RangeEnds(of: range)
        return RuleDescription(
            .count, words, lowerBound: ends.lower.map { .init(.integer(Int64($0)), isIncluded: true) },
            upperBound: ends.upper.map { .init(.integer(Int64($0)), isIncluded: ends.includesUpper) })
    }

    private var unit: String {
        switch Counted.self {
        case is any StringProtocol.Type: "characters"
        case is Data.Type: "bytes"
        case is any HasEntries.Type: "entries"
        default: "elements"
        }
    }
}

/// A dictionary of any type.
private protocol HasEntries {}

extension Dictionary: HasEntries {}
