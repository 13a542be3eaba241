public import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How the objects of an archive become settings: which class and which of its keys are what, and how values are
/// spelled.
///
/// What it does not mention keeps its name and its value.
///
/// ```swift
/// let mapping = ArchiveMapping(classes: [
///     "PasscodeLock": ArchiveMapping.Class(
///         keys: ["nextCheck": "nextCheckDate"],
///         values: ["nextCheck": .secondsSinceReferenceDate(zeroIsNone: true)])
/// ])
/// ```
public struct ArchiveMapping: Sendable {
    /// What becomes of the objects of one class.
    public struct Class: Sendable {
        /// The names of fields, by the keys in the archive. Others keep their key as the name.
        public var keys: [String: String]
        /// How fields are spelled, by the keys in the archive.
        public var values: [String: Value]
        /// The keys in the archive of fields that are left out.
        public var ignored: Set<String>

        /// Creates a mapping of one class.
        public init(keys: [String: String] = [:], values: [String: Value] = [:], ignoring ignored: Set<String> = []) {
            self.keys = keys
            self.values = values
            self.ignored = ignored
        }
    }

    /// How a value is spelled in an archive.
    public struct Value: Sendable {
        package let read: @Sendable (SettingValue) throws(ArchiveError) -> SettingValue?

        /// Values that an archive spells in a way of its own.
        ///
        /// - Parameter read: Gives the value that a spelling means, or `nil` for no value. Not called for null. Throws
        ///   ``ArchiveError`` for a spelling that means nothing; the place is added to the error.
        public init(read: @escaping @Sendable (SettingValue) throws(ArchiveError) -> SettingValue?) {
            self.read = read
        }
    }

    /// What becomes of the objects of each class, by the name in the archive.
    public var classes: [String: Class]
    /// The key under which the name of an object's class is kept; `nil` if it is not.
    public var classNameKey: String?

    /// Creates a mapping; by default, all names stay, and those of classes are left out.
    public init(classes: [String: Class] = [:], classNameKey: String? = nil) {
        self.classes = classes
        self.classNameKey = classNameKey
    }
}

extension ArchiveMapping.Value {
    /// A date that the archive has as seconds since 1970.
    ///
    /// - Parameter zeroIsNone: Whether 0 stands for no date.
    public static func secondsSince1970(zeroIsNone: Bool = false) -> ArchiveMapping.Value {
        seconds(since: Date(timeIntervalSince1970: 0), zeroIsNone: zeroIsNone)
    }

    /// A date that the archive has as seconds since the beginning of 2001, as
    /// `timeIntervalSinceReferenceDate` gives them.
    ///
    /// - Parameter zeroIsNone: Whether 0 stands for no date.
    public static func secondsSinceReferenceDate(zeroIsNone: Bool = false) -> ArchiveMapping.Value {
        seconds(since: Date(timeIntervalSinceReferenceDate: 0), zeroIsNone: zeroIsNone)
    }

    /// A truth value that the archive has as a number: 0 is false, any other is true.
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
