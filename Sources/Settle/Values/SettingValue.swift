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
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case date(Date)
    case data(Data)
    case array([SettingValue])
    case dictionary(SettingValue.Entries)
    /// A number that neither `integer` nor `real` holds exactly, as a JSON literal.
    case number(String)
}

extension SettingValue {
    /// How many dictionaries and arrays may be nested, counting the outermost as 1.
    static let depthLimit = 128
    static let depthReason = "Values are nested more than \(depthLimit) levels deep."
}
