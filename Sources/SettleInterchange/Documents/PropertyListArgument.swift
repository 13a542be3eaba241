package import Settle

/// A property list in an argument, in the form from before XML or in XML, as `defaults` takes it.
package enum PropertyListArgument {
    /// Returns the value of an argument: the text itself, unless it is a property list from start to end.
    ///
    /// XML may be a whole document or one element, such as `<dict>…</dict>`.
    ///
    /// - Throws: `FormatError` if the text begins with an element of a property list in XML, and is not one: a text like
    ///   that is hardly meant as itself.
    package static func value(of text: String) throws(FormatError) -> SettingValue {
        let rest = text.utf8.drop(while: \.isSpace)
        guard rest.first == UInt8(ascii: "<") else { return OldPropertyList.value(of: text) }
        let name = String(decoding: rest.dropFirst().prefix { !$0.isSpace && !"/>".utf8.contains($0) }, as: UTF8.self)
        guard documentStarts.contains(name) || PropertyListDocument.elements.contains(name) else {
            return OldPropertyList.value(of: text)
        }
        do throws(FormatError) {
            return try PropertyListDocument.readXML(Array(rest), isConverted: true)
        } catch {
            // A position would be that in a document which the user has not written.
            throw FormatError(error.rule, at: .key(""), error.reason)
        }
    }

    private static let documentStarts: Set<String> = ["?xml", "!DOCTYPE", "plist"]
}
