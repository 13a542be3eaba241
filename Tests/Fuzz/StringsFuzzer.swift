import FoundationEssentials
import Settle

/// Feeds an input to the readers of `.strings` and `.stringsdict` files, in all their forms.
///
/// For any input, a table that has been read is written and read again as the same, with its order and its comments,
/// and its texts also in the other forms.
func fuzz(_ input: UnsafeBufferPointer<UInt8>) {
    let data = Data(input)
    checkStrings(data)
    checkPlurals(data)
}

private func checkStrings(_ data: Data) {
    guard let (table, _, duplicates) = try? StringTable.read(data) else { return }
    precondition(duplicates.allSatisfy { table[$0.key] != nil && $0.line > 0 }, "a duplicate has no successor")
    do {
        let again = try StringTable.read(try table.data())
        precondition(again.table == table, "a table has changed")
        precondition(again.duplicates.isEmpty, "a key was written twice")
    } catch {
        preconditionFailure("what was read can't be written: \(error)")
    }
    for form in [PropertyList.Form.xml, .binary] {
        guard let written = try? table.data(as: form) else { continue }
        guard let again = try? StringTable.read(written), again.form == form else {
            preconditionFailure("what was written is not read")
        }
        precondition(texts(again.table) == texts(table), "a text has changed in \(form)")
    }
}

/// Keys and texts by their bytes, whatever their order.
private func texts(_ table: StringTable) -> [Name: Name] {
    Dictionary(uniqueKeysWithValues: table.entries.map { (Name($0.key), Name($0.value)) })
}

private func checkPlurals(_ data: Data) {
    guard let (table, form) = try? PluralTable.read(data) else { return }
    precondition(table.findings.allSatisfy { !$0.reason.isEmpty })
    guard let written = try? table.data(as: form) else { return }
    guard let again = try? PluralTable.read(written) else { preconditionFailure("what was written is not read") }
    // Numbers that are none are unequal to themselves.
    precondition(again.table == table || "\(again.table)" == "\(table)", "a table of plurals has changed")
    precondition(again.table.findings == table.findings, "a finding has changed")
}
