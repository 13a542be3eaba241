/// Rows in aligned columns.
struct TextTable {
    private var rows: [[Cell]] = []

    struct Cell {
        let text: String
        var style = Style.plain
    }

    mutating func add(_ cells: Cell...) { rows.append(cells) }

    /// Writes the rows, each column as wide as its widest text, with the escapes of a line for people.
    ///
    /// - Parameter isCut: Whether to cut long texts to the width of a terminal, the widest column first.
    func write(to terminal: any CommandTerminal, isCut: Bool = false) throws(CommandFailure) {
        let shown = rows.map { row in
            row.map { Cell(text: $0.text.escaped(), style: $0.style) }
        }
        let columns = TableColumns(of: shown.map { $0.map(\.text.count) }, in: isCut ? terminal.width : nil)
        var lines = ""
        for row in shown {
            for (column, cell) in row.enumerated() {
                let isLast = column == row.count - 1
                let text = columns.cut(cell.text, at: column, isLast: isLast)
                lines += cell.style.applied(to: text, ifShown: terminal.showsColour)
                if !isLast { lines += String(repeating: " ", count: columns.widths[column] - text.count + 2) }
            }
            lines += "\n"
        }
        try terminal.write(Array(lines.utf8))
    }
}

/// The widths of the columns of a table. The last text of a row is not aligned, and extends to the end of the line.
private struct TableColumns {
    private(set) var widths: [Int]
    /// The width of a line, if it is limited.
    private let limit: Int?

    /// A column is not cut to less.
    private static let minimum = 8

    /// - Parameter lengths: The lengths of the texts, by rows.
    init(of lengths: [[Int]], in limit: Int?) {
        let count = lengths.map(\.count).max() ?? 0
        self.limit = limit
        widths = (0..<count).map { column in
            lengths.compactMap { column < $0.count - 1 ? $0[column] : nil }.max() ?? 0
        }
        guard let limit, count > 0 else { return }
        // The last texts of full rows take part: they would be cut to nothing otherwise.
        widths[count - 1] = lengths.compactMap { $0.count == count ? $0[count - 1] : nil }.max() ?? 0
        var excess = widths.reduce(2 * (count - 1), +) - limit
        while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > Self.minimum
        {
            widths[widest] -= 1
            excess -= 1
        }
    }

    func cut(_ text: String, at column: Int, isLast: Bool) -> String {
        guard let limit else { return text }
        let width = isLast ? max(Self.minimum, limit - widths[..<column].reduce(2 * column, +)) : widths[column]
        return text.count <= width ? text : "\(text.prefix(width - 1))…"
    }
}
