public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A conversion of any stored value to the type that a reader wants, as in the defaults system of Apple platforms:
/// `"12"` is read as the number 12, and 1 as `true`.
///
/// <doc:Coercions> has a table of the conversions.
public struct SettingCoercion<Value: Sendable>: Sendable {
    /// Converts a value; `nil` if that is impossible.
    public let convert: @Sendable (SettingValue) -> Value?

    /// Creates a conversion of your own. The closure may run on any thread.
    public init(_ convert: @escaping @Sendable (SettingValue) -> Value?) {
        self.convert = convert
    }
}

private let dates = SettingCodec<Date>.standard
private let bytes = SettingCodec<Data>.standard
private let strings = SettingCodec<[String]>.standard

extension SettingCoercion<String> {
    /// Strings, and numbers and booleans as text; `true` is `"1"`.
    public static var string: Self { Self { $0.coercedToString } }
}

extension SettingCoercion<Bool> {
    /// Booleans; numbers, of which only 0 is false; and text that begins like `yes`, `true` or a number.
    public static var bool: Self { Self { $0.coercedToBool } }
}

extension SettingCoercion<Int> {
    /// Numbers without their fraction, limited to the range of `Int`; booleans as 1 and 0; and the number at the
    /// beginning of a text.
    public static var integer: Self { Self { $0.coercedToInteger } }
}

extension SettingCoercion<Float> {
    /// Like ``double``, rounded.
    public static var float: Self { Self { $0.coercedToDouble.map(Float.init) } }
}

extension SettingCoercion<Double> {
    /// Numbers; booleans as 1 and 0; and the number at the beginning of a text.
    public static var double: Self { Self { $0.coercedToDouble } }
}

extension SettingCoercion<Date> {
    /// Dates, ISO 8601 text with an offset from UTC, and numbers of seconds since 1970.
    public static var date: Self { Self { try? dates.decode($0) } }
}

extension SettingCoercion<Data> {
    /// Data and base64 text.
    public static var data: Self { Self { try? bytes.decode($0) } }
}

extension SettingCoercion<URL> {
    /// Text with a scheme, such as `https://…`; and paths, where `~` is the home folder of the user.
    public static var url: Self { Self { $0.coercedToURL(home: userHome) } }
}

extension SettingCoercion<[SettingValue]> {
    /// Arrays.
    public static var array: Self {
        Self { if case .array(let elements) = $0 { elements } else { nil } }
    }
}

extension SettingCoercion<[String]> {
    /// Arrays of strings. Numbers in them do not convert.
    public static var stringArray: Self { Self { try? strings.decode($0) } }
}

extension SettingCoercion<SettingValue.Entries> {
    /// Dictionaries.
    public static var dictionary: Self {
        Self { if case .dictionary(let entries) = $0 { entries } else { nil } }
    }
}

extension SettingCoercion<SettingValue> {
    /// Any value, unchanged.
    public static var object: Self { Self { $0 } }
}

/// Returns `HOME`, as a shell expands `~`, or the folder that the system lists for the user.
package func userHome() -> String {
    #if os(macOS) || !canImport(Darwin)
        ProcessInfo.processInfo.environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? FileManager.default.homeDirectoryForCurrentUser.path
    #else
        // The home of the app's sandbox.
        URL.homeDirectory.path
    #endif
}
