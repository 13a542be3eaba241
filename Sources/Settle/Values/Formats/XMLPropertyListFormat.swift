/// The XML of property lists: the elements of Apple's document type, without XML's ways to include more.
///
/// Reads comments, CDATA sections, the five predefined entities and numeric references. Refuses a document type with
/// declarations of its own, other entities, encodings other than UTF-8 and attributes other than those of `plist`. Line
/// ends within strings are read unchanged, as Foundation does.
package struct XMLPropertyListFormat: TreeFormat {
    package init() {}

    package func decode(_ bytes: [UInt8]) throws(FormatError) -> SettingTree {
        do throws(FormatError) {
            try FormatLimits.checkSize(of: bytes)
            var reader = XMLPropertyListReader(bytes)
            return try reader.readFile()
        } catch {
            throw error.located(inText: bytes)
        }
    }

    package func encode(
        _ tree: SettingTree, into text: [UInt8], changing old: [SettingKey: SettingValue?]?
    ) throws(FormatError) -> [UInt8] {
        var rewriter = TextRewriter(XMLPropertyListReader(text))
        return try rewriter.rewrite(to: tree, changing: old)
    }

    package func encode(_ tree: SettingTree) throws(FormatError) -> [UInt8] {
        var writer = XMLPropertyListWriter()
        try writer.write(tree.root)
        return writer.finish()
    }
}
