import Foundation

/// Prints results as a table.
struct Table {
    private static let columns = [
        "row", "what", "ours", "limit", "ratio", "goal", "stretch", "reached", "limit is; peers",
    ]
    private static let numeric: Set<Int> = [2, 3, 4, 5, 6]
    let results: [RowResult]

    var text: String {
        TextTable(columns: Self.columns, numeric: Self.numeric, rows: results.map(Self.cells)).text
    }

    private static func cells(of result: RowResult) -> [String] {
        let peers = result.peers.map { "\($0.name) \(ratio($0.ratio))×" }
        let last = ["\(result.limit)"] + peers + result.notes
        return [
            result.id, result.subject, figure(result.oursFigure, result.unit), figure(result.limitFigure, result.unit),
            ratio(result.ratio), ratio(result.goal), result.stretch.map(ratio) ?? "–", result.verdict,
            last.joined(separator: "; "),
        ]
    }

    private static func figure(_ value: Double, _ unit: Row.Unit) -> String {
        switch unit {
        case .bytes: "\(Int(value.rounded())) B"
        case .time where value < 1_000: String(format: "%.1f ns", value)
        case .time where value < 1_000_000: String(format: "%.2f µs", value / 1_000)
        case .time: String(format: "%.2f ms", value / 1_000_000)
        }
    }

    static func ratio(_ value: Double) -> String {
        switch value {
        case 100...: String(format: "%.0f", value)
        case 10...: String(format: "%.1f", value)
        case 0.1...: String(format: "%.2f", value)
        default: String(format: "%.3f", value)
        }
    }
}

extension RowResult {
    /// Whether the row has reached its goal or more.
    var verdict: String {
        // A measurement that was not done, or done wrong, does not count.
        if notes.contains(where: { $0.hasPrefix("WRONG") }) { return "not" }
        if let stretch, ratio <= stretch { return "stretch" }
        return ratio <= goal ? "goal" : "not"
    }
}
