import FoundationEssentials

/// Feeds an input to a reader. The first byte chooses the format.
///
/// For any input, a reader must finish in bounded time, and what it reads must survive writing and reading unchanged.
/// With the same values, a text must stay as it is; with others, it must have just these.
func fuzz(_ input: UnsafeBufferPointer<UInt8>) {
    guard !input.isEmpty else { return }
    let formats: [FileFormat] = [.json, .propertyListXML, .propertyListBinary]
    let format = formats[Int(input[0]) % formats.count]
    let bytes = Array(input[1...])
    _ = FileFormat.detect(bytes)
    guard let tree = try? format.decode(bytes) else { return }
    do {
        let written = try format.encode(tree)
        let again = try format.decode(written)
        precondition(isSame(.dictionary(tree.root), .dictionary(again.root)), "a value has changed")
        let rewritten = try format.encode(again)
        precondition(rewritten == written, "a file has changed")
        if format != .propertyListBinary { try checkText(bytes, of: tree, format) }
    } catch {
        preconditionFailure("what was read cannot be written: \(error)")
    }
    checkCodecs(tree)
}

/// Writes the same values into a text, and then others.
private func checkText(_ text: [UInt8], of tree: SettingTree, _ format: FileFormat) throws {
    let same = try format.encode(tree, into: text)
    precondition(same == text, "a text has changed")
    var other = tree
    let names = tree.root.keys.sorted()
    let keys = [SettingKey(name: names.first ?? "a"), SettingKey(name: names.last ?? "b"), SettingKey(name: "new")]
    other[keys[0]] = nil
    other[keys[1]] = .array([.dictionary(["x": .integer(1)])])
    other[keys[2]] = .dictionary(["y": .bool(true)])
    let old = Dictionary(keys.map { ($0, tree[$0]) }) { first, _ in first }
    let written = try format.encode(other, into: text, changing: old)
    let read = try format.decode(written)
    precondition(isSame(.dictionary(read.root), .dictionary(other.root)), "a text has other values")
    let compared = try format.encode(other, into: text)
    precondition(compared == written, "keys that did not change were changed")
}

/// No conversion of a value to any type may trap, and a date that is read must be written as the same date.
private func checkCodecs(_ tree: SettingTree) {
    for value in tree.root.values {
        _ = try? SettingCodec<Int>.standard.decode(value)
        _ = try? SettingCodec<UInt8>.standard.decode(value)
        _ = try? SettingCodec<Double>.standard.decode(value)
        _ = try? SettingCodec<Float>.standard.decode(value)
        _ = try? SettingCodec<URL>.standard.decode(value)
        _ = try? SettingCodec<[String: [Data]]>.standard.decode(value)
        if let duration = try? SettingCodec<Duration>.standard.decode(value) {
            let spelled = try? SettingCodec<Duration>.standard.encode(duration)
            let again = spelled.flatMap { try? SettingCodec<Duration>.standard.decode($0) }
            precondition(again == duration, "a duration has changed")
        }
        if let date = try? SettingCodec<Date>.standard.decode(value) {
            let file = try? FileFormat.json.encode(SettingTree(["a": .date(date)]))
            let spelled = file.flatMap { try? FileFormat.json.decode($0).root["a"] }
            let again = spelled.flatMap { try? SettingCodec<Date>.standard.decode($0) }
            precondition(again == date, "a date has changed")
        }
    }
}
