public import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The mapping of an archive's objects to settings: the meaning of its classes and keys, and the spelling of values.
///
/// Anything that it does not mention keeps its name and its value.
///
/// ```swift
/// let mapping = ArchiveMapping(classes: [
///     "PasscodeLock": ArchiveMapping.Class(
///         keys: ["nextCheck": "nextCheckDate"],
///         values: ["nextCheck": .secondsSinceReferenceDate(zeroIsNone: true)])
/// ])
/// ```
public struct ArchiveMapping: Sendable {
    /// The mapping of one class's objects.
    public struct Class: Sendable {
        /// The names of fields, by the keys in the archive. Others keep their key as the name.
        public var keys: [String: String]
        /// The spelling of fields, by the keys in the archive.
        public var values: [String: Value]
        /// The keys in the archive of fields to leave out.
        public var ignored: Set<String>

        /// Creates a mapping of one class.
        public init(keys: [String: String] = [:], values: [String: Value] = [:], ignoring ignored: Set<String> = []) {
            self.keys = keys
            self.values = values
            self.ignored = ignored
        }
    }

    /// The spelling of a value in an archive.
    public struct Value: Sendable {
        package let read: @Sendable (SettingValue) throws(ArchiveError) -> SettingValue?

        /// Creates the mapping of a special spelling of values.
        ///
        /// - Parameter read: Returns the value for a spelling, or `nil` for no value. It is not called for null. It
        ///   throws ``ArchiveError`` for a spelling without a meaning; the path is added to the error.
        public init(read: @escaping @Sendable (SettingValue) throws(ArchiveError) -> SettingValue?) {
            self.read = read
        }
    }

    /// The mapping of each class's objects, by the name in the archive.
    public var classes: [String: Class]
    /// The key under which the name of an object's class is stored; `nil` if it is not stored.
    public var classNameKey: String?

    /// Creates a mapping; by default, all names stay, and class names are left out.
    public init(classes: [String: Class] = [:], classNameKey: String? = nil) {
        self.classes = classes
        self.classNameKey = classNameKey
    }
}

extension ArchiveMapping.Value {
    /// A date that the archive has as seconds since 1970.
    ///
    /// - Parameter zeroIsNone: Whether 0 means no date.
    public static func secondsSince1970(zeroIsNone: Bool = false) -> ArchiveMapping.Value {
        seconds(since: Date(timeIntervalSince1970: 0), zeroIsNone: zeroIsNone)
    }

    /// A date that the archive has as seconds since the beginning of 2001, as returned by
    /// `timeIntervalSinceReferenceDate`.
    ///
    /// - Parameter zeroIsNone: Whether 0 means no date.
    public static func secondsSinceReferenceDate(zeroIsNone: Bool = false) -> ArchiveMapping.Value {
        seconds(since: Date(timeIntervalSinceReferenceDate: 0), zeroIsNone: zeroIsNone)
    }

    /// A Boolean value that the archive has as a number: 0 is false, any other is true.
    public static let number01 = ArchiveMapping.Value { value throws(ArchiveError) in
        switch value {
        case .bool: value
        case .integer(let number): .bool(number != 0)
        case .real(let number): .bool(number != 0)
        default: throw ArchiveError(.unsupportedValue, "It is not a number that stands for true or false.")
        }
    }

    private static func seconds(since origin: Date, zeroIsNone: Bool) -> ArchiveMapping.Value {
        ArchiveMapping.Value { value throws(ArchiveError) in
            let seconds: Double
            switch value {
            case .date: return value
            case .real(let number): seconds = number
            case .integer(let number): seconds = Double(number)
            default: throw ArchiveError(.unsupportedValue, "It is not a number of seconds.")
            }
            if seconds == 0, zeroIsNone { return nil }
            guard seconds.isFinite else {
                throw ArchiveError(.unsupportedValue, "It is not a finite number of seconds.")
            }
            return .date(origin.addingTimeInterval(seconds))
        }
    }
}
