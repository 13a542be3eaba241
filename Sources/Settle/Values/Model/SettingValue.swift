#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A value as storages see it: a tree of plain data that every file format can spell.
///
/// Declared settings convert to and from this type through their ``SettingCodec``; keys that no setting declares keep
/// this form and are written back as they were read.
public enum SettingValue: Sendable, Hashable {
    /// An explicit null: JSON's `null`. Property lists, which have none, spell it as the string `$null`.
    case null
    /// True or false.
    case bool(Bool)
    /// A whole number.
    case integer(Int64)
    /// A floating-point number. JSON has no infinities and no NaN.
    case real(Double)
    /// A text.
    case string(String)
    /// A moment. JSON, which has no dates, spells it as an ISO 8601 string or as seconds since 1970.
    case date(Date)
    /// Bytes. JSON spells them as a base64 string.
    case data(Data)
    /// Values in order.
    case array([SettingValue])
    /// Values by name.
    case dictionary(SettingValue.Entries)
    /// A number that neither `integer` nor `real` holds exactly, as a JSON literal.
    case number(String)
}

extension SettingValue {
    // Written out, because the code that the compiler generates is copied into the 140 functions that compare values, 1
    // KB each.
    @inline(never) public static func == (left: SettingValue, right: SettingValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left == right
        case (.string(let left), .string(let right)), (.number(let left), .number(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        case (.data(let left), .data(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)): left == right
        default: false
        }
    }

    /// How many dictionaries and arrays may be nested, counting the outermost as 1.
    package static let depthLimit = 128
    package static let depthReason = "Values are nested more than \(depthLimit) levels deep."
}
