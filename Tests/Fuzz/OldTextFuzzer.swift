import FoundationEssentials
import Settle

/// Feeds an input to the reader of property lists in the old text form, as a file and as an argument.
///
/// For any input, a file that has been read is written in every form that holds it, and read again as the same; and a
/// property list in an argument is the same one in a file.
func fuzz(_ input: UnsafeBufferPointer<UInt8>) {
    checkFile(Data(input))
    let text = String(decoding: input, as: UTF8.self)
    if let number = text.leadingInteger { precondition(text.leadingDouble != nil, "\(number) is no number") }
    _ = text.leadingBool
    _ = SettingValue.string(text).coercedToURL { "/home" }
    let value = OldPropertyList.value(of: text)
    if case .string(let found) = value {
        precondition(found.utf8.elementsEqual(text.utf8) || input.contains(UInt8(ascii: "\"")), "a text was not kept")
    } else {
        var reader = OldPropertyList(file: Array(text.utf8))
        let file = try? reader.readDocument()
        // A comment without an end extends to the end of an argument.
        precondition(file.map { isSame($0, value) } ?? input.contains(UInt8(ascii: "*")), "a file differs")
    }
}

private func checkFile(_ data: Data) {
    guard let (list, form) = try? PropertyList.read(data), form == .oldText else { return }
    for form in PropertyList.Form.allCases {
        // The old text form does not hold the types of GNUstep that have been read, and XML not all characters.
        guard let written = try? list.data(as: form) else { continue }
        do {
            let again = try PropertyList.read(written)
            precondition(again.form == form && isSame(again.list.value, list.value), "a list has changed in \(form)")
        } catch {
            preconditionFailure("what was written is not read: \(error)")
        }
    }
}
