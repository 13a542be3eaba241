/// The last line of a terminal, which is redrawn repeatedly.
struct LiveLine {
    private var text = ""
    private var styled = ""
    /// How many of its characters are on the terminal.
    private var shown = 0

    /// Replaces the text.
    mutating func draw(_ text: String, styled: String) throws {
        try clear()
        (self.text, self.styled) = (text, styled)
        try show()
    }

    /// Redraws the text after the terminal's width has changed.
    mutating func redraw() throws {
        try draw(text, styled: styled)
    }

    /// Inserts a line above.
    mutating func insert(_ line: String) throws {
        try clear()
        try Terminal.say(line)
        try show()
    }

    /// Keeps the text, and continues below it.
    func end() {
        try? Terminal.say("")
    }

    private mutating func show() throws {
        let width = Terminal.width
        // A text that fills its line makes some terminals start another one.
        let fits = text.count < width
        let drawn = fits ? styled : String(text.prefix(max(1, width - 2))) + "…"
        shown = fits ? text.count : drawn.count
        try Terminal.write(drawn)
    }

    /// A narrower terminal has wrapped the text into several lines; all of them are cleared.
    private func clear() throws {
        let above = max(0, shown - 1) / Terminal.width
        try Terminal.write((above > 0 ? "\u{1B}[\(above)A" : "") + "\r\u{1B}[J")
    }
}
