/// The last lines of a terminal, which are redrawn in place.
struct LiveTable {
    /// The numbers of characters of the lines on the terminal.
    private var shown: [Int] = []

    /// Returns the text that replaces the lines drawn before by others.
    ///
    /// - Parameter width: The terminal's width now. A narrower terminal has wrapped the earlier lines.
    mutating func replacement(_ lines: [String], width: Int) -> String {
        let above = shown.reduce(0) { $0 + max(1, ($1 + width - 1) / width) }
        shown = lines.map(\.count)
        let clearing = (above > 0 ? "\u{1B}[\(above)A" : "") + "\r\u{1B}[J"
        return clearing + lines.map { $0 + "\n" }.joined()
    }
}
