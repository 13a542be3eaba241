// The names are those of Foundation.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

@_exported import Darwin
@_exported import Dispatch

public typealias TimeInterval = Double
public struct Date: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    public init() { self.init(timeIntervalSinceReferenceDate: 0) }
    public init(timeIntervalSinceReferenceDate: TimeInterval) {
        self.timeIntervalSinceReferenceDate = timeIntervalSinceReferenceDate
    }
    public init(timeIntervalSince1970: TimeInterval) { fatalError() }
    public var timeIntervalSinceReferenceDate: TimeInterval
    public var timeIntervalSince1970: TimeInterval { fatalError() }
    public func timeIntervalSince(_ date: Date) -> TimeInterval { fatalError() }
    public static func < (a: Date, b: Date) -> Bool { fatalError() }
    public func addingTimeInterval(_ t: TimeInterval) -> Date { fatalError() }
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
    public func ISO8601Format() -> String { "" }
    public var description: String { "" }
}
public struct Data: Hashable, Codable, Sendable, RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
    var store: [UInt8] = []
    public struct Base64EncodingOptions: OptionSet, Sendable {
        public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public struct Base64DecodingOptions: OptionSet, Sendable {
        public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public init() {}
    public init<S: Sequence>(_ s: S) where S.Element == UInt8 { fatalError() }
    public init(contentsOf url: __shared URL, options: ReadingOptions = []) throws { fatalError() }
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public init?(base64Encoded: String, options: Base64DecodingOptions = []) { fatalError() }
    public init?(base64Encoded: Data, options: Base64DecodingOptions = []) { fatalError() }
    public func base64EncodedString(options: Base64EncodingOptions = []) -> String { fatalError() }
    public var startIndex: Int { 0 }
    public var endIndex: Int { 0 }
    public subscript(i: Int) -> UInt8 {
        get { 0 }
        set {}
    }
    public subscript(r: Range<Int>) -> Data {
        get { self }
        set {}
    }
    public mutating func replaceSubrange<C: Collection>(_ r: Range<Int>, with c: C) where C.Element == UInt8 {}
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}
public struct UUID: Hashable, Codable, Sendable {
    public init() {}
    public init?(uuidString: String) {}
    public init(uuid: uuid_t) {}
    public var uuid: uuid_t { (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }
    public var uuidString: String { "" }
}
public typealias uuid_t = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
)
public struct URL: Hashable, Codable, Sendable {
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
    public enum DirectoryHint: Sendable, Equatable { case isDirectory, notDirectory, checkFileSystem, inferFromPath }
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
    public init(filePath: String, directoryHint: DirectoryHint = .inferFromPath, relativeTo: URL? = nil) {}
    public init?(string: __shared String) {}
    public init?(string: __shared String, relativeTo: __shared URL?) {}
    @available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
    public init?(string: String, encodingInvalidCharacters: Bool) {}
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
    public func path(percentEncoded: Bool = true) -> String { "" }
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
    public static var applicationSupportDirectory: URL { URL(filePath: "") }
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
    public static var cachesDirectory: URL { URL(filePath: "") }
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
    public static var homeDirectory: URL { URL(filePath: "") }
    public var path: String { "" }
    public var absoluteURL: URL { self }
    public var standardizedFileURL: URL { self }
    public func resolvingSymlinksInPath() -> URL { self }
    public var absoluteString: String { "" }
    public var lastPathComponent: String { "" }
    public var pathExtension: String { "" }
    public var scheme: String? { nil }
    public func deletingPathExtension() -> URL { self }
    public func appendingPathExtension(_ pathExtension: String) -> URL { self }
    public func deletingLastPathComponent() -> URL { self }
    public var isFileURL: Bool { true }
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
    public func appending<S: StringProtocol>(path: S, directoryHint: DirectoryHint = .inferFromPath) -> URL { self }
}
public struct FileAttributeKey: Hashable, RawRepresentable, Sendable {
    public let rawValue: String; public init(rawValue: String) { self.rawValue = rawValue }
    public static let posixPermissions = FileAttributeKey(rawValue: "")
    @available(macOS 11.0, iOS 4.0, tvOS 9.0, watchOS 2.0, *)
    public static let protectionKey = FileAttributeKey(rawValue: "")
}
@available(macOS 11.0, iOS 9.0, tvOS 9.0, watchOS 2.0, *)
public struct FileProtectionType: Hashable, RawRepresentable, Sendable {
    public let rawValue: String; public init(rawValue: String) { self.rawValue = rawValue }
    public static let completeUntilFirstUserAuthentication = FileProtectionType(rawValue: "")
}
public struct Notification {}
open class FileManager {
    public var currentDirectoryPath: String { fatalError() }
    open class var `default`: FileManager { fatalError() }
    @available(macOS 10.12, *) @available(iOS, unavailable) @available(watchOS, unavailable)
    @available(tvOS, unavailable) @available(visionOS, unavailable)
    open var homeDirectoryForCurrentUser: URL { fatalError() }
    @available(macOS 10.12, *) @available(iOS, unavailable) @available(watchOS, unavailable)
    @available(tvOS, unavailable) @available(visionOS, unavailable)
    open func homeDirectory(forUser userName: String) -> URL? { fatalError() }
    open var temporaryDirectory: URL { fatalError() }
    open func createDirectory(
        at url: URL, withIntermediateDirectories: Bool, attributes: [FileAttributeKey: Any]? = nil
    ) throws {}
    open func setAttributes(_ attributes: [FileAttributeKey: Any], ofItemAtPath path: String) throws {}
    open func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { nil }
    open func removeItem(at url: URL) throws {}
    open func fileExists(atPath: String) -> Bool { false }
    open func contentsOfDirectory(atPath: String) throws -> [String] { [] }
    open func contents(atPath: String) -> Data? { nil }
}

open class JSONDecoder {
    public init() {}
    open func decode<T>(_ type: T.Type, from data: Data) throws -> T where T: Decodable { fatalError() }
}

extension Date {
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
    public struct ISO8601FormatStyle: Sendable {
        public init() {}
        public init(includingFractionalSeconds: Bool) {}
        public func year() -> Self { self }
        public func month() -> Self { self }
        public func day() -> Self { self }
        public func parse(_ value: String) throws -> Date { fatalError() }
    }
}
open class ProcessInfo: @unchecked Sendable {
    open class var processInfo: ProcessInfo { fatalError() }; open var environment: [String: String] { [:] }
    open var processName: String { "" }; open var processIdentifier: Int32 { 0 }
    #if os(macOS) || os(Linux)
        open var userName: String { "" }
    #endif
    public struct ActivityOptions: OptionSet, Sendable {
        public let rawValue: UInt64; public init(rawValue: UInt64) { self.rawValue = rawValue }
        public static let automaticTerminationDisabled = ActivityOptions(rawValue: 1 << 15)
        public static let suddenTerminationDisabled = ActivityOptions(rawValue: 1 << 14)
    }
    open func performActivity(options: ActivityOptions = [], reason: String, using block: @escaping () -> Void) {}
    @available(macOS, unavailable) @available(iOS 8.2, tvOS 9.0, watchOS 2.0, *)
    @preconcurrency open func performExpiringActivity(
        withReason reason: String, using block: @escaping @Sendable (Bool) -> Void
    ) {}
}
public func NSHomeDirectory() -> String { "" }
