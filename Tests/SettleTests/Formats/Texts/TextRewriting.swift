import Settle

/// Reads the values of a file.
func read(_ text: [UInt8], _ format: FileFormat) throws -> SettingTree {
    try format.decode(text)
}

/// Writes a file with these values in the text of one that has others.
///
/// - Parameter keys: What may have changed; anything by default.
func rewritten(
    _ text: [UInt8], _ tree: SettingTree, _ format: FileFormat, changing keys: [SettingKey]? = nil
) throws -> [UInt8] {
    try format.encode(tree, into: text, changing: keys)
}
