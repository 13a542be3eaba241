/// JSON as RFC 8259 defines it, and with comments and trailing commas unless it is strict.
package struct JSONFormat: TreeFormat {
    private let dialect: JSONReader.Dialect

    package init(isStrict: Bool = false) { dialect = isStrict ? .strict : .commented }

    package func decode(_ bytes: [UInt8]) throws(FormatError) -> SettingTree {
        do throws(FormatError) {
            try FormatLimits.checkSize(of: bytes)
            var reader = JSONReader(bytes, dialect)
            return try reader.readFile()
        } catch {
            throw error.located(inText: bytes)
        }
    }

    package func encode(
        _ tree: SettingTree, into text: [UInt8], changing old: [SettingKey: SettingValue?]?
    ) throws(FormatError) -> [UInt8] {
        var rewriter = TextRewriter(JSONReader(text, dialect))
        return try rewriter.rewrite(to: tree, changing: old)
    }

    package func encode(_ tree: SettingTree) throws(FormatError) -> [UInt8] {
        var writer = JSONWriter()
        try writer.write(tree.root)
        return writer.finish()
    }
}
