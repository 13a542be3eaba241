extension Substring {
    /// The text without the spaces and tabs around it, which mean nothing around the elements of a field's value.
    var trimmed: Substring {
        var text = self
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
