/// The last line of a terminal, which is drawn again and again.
struct LiveLine {
    private var text = ""
    private var styled = ""

    /// Puts another text in place of the one before.
    mutating func draw(_ text: String, styled: String) {
        clear()
        (self.text, self.styled) = (text, styled)
        let width = Terminal.width
        // A text that fills its line makes some terminals begin another one.
        Terminal.write(text.count < width ? styled : String(text.prefix(max(1, width - 2))) + "…")
    }

    /// Draws the same again, after the terminal's width has changed.
    mutating func redraw() {
        draw(text, styled: styled)
    }

    /// Puts a line above.
    mutating func insert(_ line: String) {
        clear()
        Terminal.say(line)
        Terminal.write(styled)
    }

    /// Leaves the text where it is, and goes on below.
    func end() {
        Terminal.say("")
    }

    /// A narrower terminal has broken the text into several lines; all of them go.
    private func clear() {
        let above = max(0, text.count - 1) / Terminal.width
        Terminal.write((above > 0 ? "\u{1B}[\(above)A" : "") + "\r\u{1B}[J")
    }
}
