/// A value lies in a range.
struct RangeConstraint<Range: RangeExpression & Sendable>: RuleConstraint where Range.Bound: Sendable {
    let range: Range

    var words: String { "in \(Redacted(typed: range).range() ?? "a range")" }

    func accepts(_ value: Range.Bound) -> Bool { range.contains(value) }

    func described(_ encode: (Range.Bound) -> SettingValue?) -> RuleDescription {
        let ends = isAboutSecrets ? RangeEnds() : RangeEnds(of: range)
        return RuleDescription(
            .range, words, lowerBound: ends.lower.flatMap(encode).map { .init($0, isIncluded: true) },
            upperBound: ends.upper.flatMap(encode).map { .init($0, isIncluded: ends.includesUpper) })
    }
}

/// The ends of a range; none for range types that are not in the standard library.
struct RangeEnds<Bound: Comparable> {
    private(set) var lower: Bound?
    private(set) var upper: Bound?
    private(set) var includesUpper = true

    init() {}

    init(of range: some RangeExpression<Bound>) {
        switch range {
        case let range as ClosedRange<Bound>: (lower, upper) = (range.lowerBound, range.upperBound)
        case let range as Range<Bound>: (lower, upper, includesUpper) = (range.lowerBound, range.upperBound, false)
        case let range as PartialRangeFrom<Bound>: lower = range.lowerBound
        case let range as PartialRangeThrough<Bound>: upper = range.upperBound
        case let range as PartialRangeUpTo<Bound>: (upper, includesUpper) = (range.upperBound, false)
        default: break
        }
    }
}
