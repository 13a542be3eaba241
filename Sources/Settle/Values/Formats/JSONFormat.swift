/// JSON as RFC 8259 defines it, without extensions.
package struct JSONFormat: TreeFormat {
    package init() {}

    package func decode(_ bytes: [UInt8]) throws(FormatError) -> SettingTree {
        do throws(FormatError) {
            try FormatLimits.checkSize(of: bytes)
            var reader = JSONReader(bytes)
            return try reader.readFile()
        } catch {
            throw error.located(inText: bytes)
        }
    }

    package func encode(_ tree: SettingTree) throws(FormatError) -> [UInt8] {
        var writer = JSONWriter()
        try writer.write(tree.root)
        return writer.finish()
    }
}
