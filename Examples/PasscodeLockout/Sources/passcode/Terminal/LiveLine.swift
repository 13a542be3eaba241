/// The last line of a terminal, which is redrawn repeatedly.
struct LiveLine {
    /// Escaped, so that its characters can be counted.
    private var text = ""
    private var style = Style.plain
    /// How many of its characters are on the terminal.
    private var shown = 0

    /// Replaces the text.
    mutating func draw(_ text: String, _ style: Style) throws {
        try clear()
        (self.text, self.style) = (text.escaped(as: .sentence), style)
        try show()
    }

    /// Redraws the text after the terminal's width has changed.
    mutating func redraw() throws {
        try draw(text, style)
    }

    /// Inserts a line above.
    mutating func insert(_ line: String, _ style: Style) throws {
        try clear()
        try Terminal.say(line, style)
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
        let drawn = fits ? text : String(text.prefix(max(1, width - 2))) + "…"
        shown = drawn.count
        try Terminal.write(.text(drawn, fits ? style : .plain))
    }

    /// A narrower terminal has wrapped the text into several lines; all of them are cleared.
    private func clear() throws {
        let above = max(0, shown - 1) / Terminal.width
        try Terminal.write(.clearLines(above: above))
    }
}
