import Foundation

/// Rows of text in columns of equal width.
struct TextTable {
    let columns: [String]
    /// The right-aligned columns.
    let numeric: Set<Int>
    let rows: [[String]]

    var text: String {
        let rows = [columns] + rows
        let widths = columns.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        var lines: [String] = []
        for (index, row) in rows.enumerated() {
            let cells = row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return numeric.contains(column) ? padding + cell : cell + padding
            }
            lines.append(cells.joined(separator: "  ").trimmingCharacters(in: .whitespaces))
            if index == 0 { lines.append(widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")) }
        }
        return lines.joined(separator: "\n")
    }
}
