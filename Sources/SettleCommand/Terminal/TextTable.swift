/// Rows in aligned columns.
struct TextTable {
    private var rows: [[Cell]] = []

    struct Cell {
        let text: String
        var style = Style.plain
    }

    mutating func add(_ cells: Cell...) { rows.append(cells) }

    /// Writes the rows, each column as wide as its widest text.
    func write(to terminal: any CommandTerminal) throws(CommandFailure) {
        let shown = rows.map { row in
            row.map { Cell(text: terminal.showsOutput ? $0.text.escaped() : $0.text, style: $0.style) }
        }
        let columns = shown.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            shown.compactMap { column < $0.count - 1 ? $0[column].text.count : nil }.max() ?? 0
        }
        var lines = ""
        for row in shown {
            for (column, cell) in row.enumerated() {
                lines += cell.style.applied(to: cell.text, ifShown: terminal.showsColour)
                guard column < row.count - 1 else { continue }
                lines += String(repeating: " ", count: widths[column] - cell.text.count + 2)
            }
            lines += "\n"
        }
        try terminal.write(Array(lines.utf8))
    }
}
