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
    guard let keys else { return try format.encode(tree, into: text) }
    let old = try format.decode(text)
    return try format.encode(tree, into: text, changing: Dictionary(uniqueKeysWithValues: keys.map { ($0, old[$0]) }))
}
