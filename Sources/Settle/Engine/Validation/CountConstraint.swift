#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The number of characters, elements or entries lies in a range.
struct CountConstraint<Value: Sendable, Counted: Collection, Range: RangeExpression<Int> & Sendable>: RuleConstraint {
    let range: Range
    let counted: @Sendable (Value) -> Counted

    var words: String {
        let ends = RangeEnds(of: range)
        let upper = ends.upper.map { ends.includesUpper ? $0 : $0 &- 1 }
        let count =
            switch (ends.lower, upper) {
            case (let lower?, let upper?): lower == upper ? "\(lower)" : "\(lower) to \(upper)"
            case (let lower?, nil): "at least \(lower)"
            case (nil, let upper?): "at most \(upper)"
            case (nil, nil): Redacted(typed: range).range() ?? "any number of"
            }
        return "of \(count) \((upper ?? ends.lower) == 1 ? unit.one : unit.many)"
    }

    func accepts(_ value: Value) -> Bool { range.contains(counted(value).count) }

    func described(_ encode: (Value) -> SettingValue?) -> RuleDescription {
        let ends = RangeEnds(of: range)
        return RuleDescription(
            .count, words, lowerBound: ends.lower.map { .init(.integer(Int64($0)), isIncluded: true) },
            upperBound: ends.upper.map { .init(.integer(Int64($0)), isIncluded: ends.includesUpper) })
    }

    private var unit: (one: String, many: String) {
        switch Counted.self {
        case is any StringProtocol.Type: ("character", "characters")
        case is Data.Type: ("byte", "bytes")
        case is any HasEntries.Type: ("entry", "entries")
        default: ("element", "elements")
        }
    }
}

/// A dictionary of any type.
private protocol HasEntries {}

extension Dictionary: HasEntries {}
