#if !canImport(ObjectiveC)
    import Foundation
    import Settle
    import SettleInterchange

    /// Makes the objects of an archive, in place of Foundation's reader.
    ///
    /// On Linux, Foundation's reader ends the program when it finds a class that was not requested, an object that
    /// contains itself, or damaged bytes, and it can't be subclassed. Here each of these is an error. Foundation's
    /// objects are made from the values that `KeyedArchive` has read, and are mutable where possible, since that suits
    /// callers that request either; others are made by their own `init(coder:)`. An object to which the archive refers
    /// several times is made once.
    final class ArchiveDecoder: NSCoder {
        private let isSecure: Bool
        /// The encoded fields of the object being made.
        private var fields: ArchivedFields
        private var classes: [AnyClass]?
        /// The number of values read without a key.
        private var unnamedCount = 0
        private var failure: (any Error)?
        private let sharedObjects: [ArchivedValue]
        /// The shared objects that have been made, and the indices of those that are being made.
        private var madeObjects: [Int: Any] = [:]
        private var open: Set<Int> = []
        /// The number of objects being made. Each uses stack space, also that of its class.
        private var depth = 0

        init(_ archive: KeyedArchive, isSecure: Bool) {
            self.isSecure = isSecure
            fields = archive.top
            sharedObjects = archive.sharedObjects
        }

        override var allowsKeyedCoding: Bool { true }
        override var requiresSecureCoding: Bool { isSecure }
        override var allowedClasses: [AnyClass]? { classes }
        override var error: (any Error)? { failure }

        /// Records an error. The first one counts. Foundation's own method ends the program, or writes values to
        /// standard error.
        override func failWithError(_ error: any Error) { failure = failure ?? error }

        override func containsValue(forKey key: String) -> Bool { fields[key] != nil }

        // MARK: Objects

        override func decodeObject(forKey key: String) -> Any? { object(fields[key]) }

        override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? {
            let outer = self.classes
            defer { self.classes = outer }
            self.classes = classes ?? []
            return object(fields[key])
        }

        override func decodePropertyList(forKey key: String) -> Any? {
            let classes: [AnyClass] = [
                NSString.self, NSNumber.self, NSDate.self, NSData.self, NSArray.self, NSDictionary.self,
            ]
            return decodeObject(of: classes, forKey: key)
        }

        override func decodeObject() -> Any? {
            defer { unnamedCount += 1 }
            return object(fields["$\(unnamedCount)"])
        }

        private func object(_ value: ArchivedValue?) -> Any? {
            guard failure == nil, let value, value != .null else { return nil }
            depth += 1
            defer { depth -= 1 }
            // The archive is not deep, as far as that can be known of objects that contain themselves. A plain value may
            // be in the last level.
            guard depth <= SettingValue.depthLimit + 1 else {
                failWithError(ArchiveRefusal(found: "one whose objects nest too deeply"))
                return nil
            }
            switch value {
            case .reference(let index): return shared(index)
            case .object(let object): return made(object)
            default: break
            }
            guard let object = foundationObject(value), failure == nil else { return nil }
            return expected(object)
        }

        private func shared(_ index: Int) -> Any? {
            if let object = madeObjects[index] { return expected(object) }
            guard sharedObjects.indices.contains(index), open.insert(index).inserted else {
                failWithError(ArchiveRefusal(found: "one whose objects contain themselves"))
                return nil
            }
            defer { open.remove(index) }
            depth -= 1
            defer { depth += 1 }
            let object = object(sharedObjects[index])
            madeObjects[index] = object
            return object
        }

        private func expected(_ object: Any) -> Any? {
            if isExpected(type(of: object)) { return object }
            return refuse((type(of: object) as? AnyClass).map(NSStringFromClass) ?? "\(type(of: object))")
        }

        private func made(_ object: ArchivedObject) -> Any? {
            let name = object.className
            let type: AnyClass? = NSKeyedUnarchiver.class(forClassName: name) ?? NSClassFromString(name)
            guard let known = type as? any NSCoding.Type else {
                return refuse(name, "which the program does not have")
            }
            let isSafe = !isSecure || (known as? any NSSecureCoding.Type)?.supportsSecureCoding == true
            guard isSafe, isExpected(known) else { return refuse(name) }
            let outer = (fields, classes, unnamedCount)
            defer { (fields, classes, unnamedCount) = outer }
            (fields, unnamedCount) = (object.fields, 0)
            guard let made = known.init(coder: self) else {
                failWithError(CocoaError(.coderReadCorrupt))
                return nil
            }
            return failure == nil ? made : nil
        }

        private func isExpected(_ actual: Any.Type) -> Bool {
            guard isSecure, let actual = actual as? AnyClass else { return !isSecure }
            let expected = classes ?? []
            return sequence(first: actual, next: { _getSuperclass($0) }).contains { ancestor in
                expected.contains { $0 === ancestor }
            }
        }

        private func refuse(_ name: String, _ reason: String = "which is not expected there") -> Any? {
            failWithError(ArchiveRefusal(found: "an object of the class \(name), \(reason)"))
            return nil
        }

        // MARK: Objects of Foundation

        private func foundationObject(_ value: ArchivedValue) -> NSObject? {
            switch value {
            case .null: NSNull()
            case .bool(let value): NSNumber(value: value)
            case .integer(let value): NSNumber(value: value)
            case .real(let value): NSNumber(value: value)
            case .number(let literal): UInt64(literal).map { NSNumber(value: $0) } ?? NSDecimalNumber(string: literal)
            case .string(let text, _): NSMutableString(string: text)
            case .data(let data, _): NSMutableData(data: data)
            case .date(let date): NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
            case .url(let text, let base): NSURL(string: text, relativeTo: base.flatMap { URL(string: $0) })
            case .uuid(let uuid): NSUUID(uuidString: uuid.uuidString)
            case .array(let values, _): NSMutableArray(array: elements(values))
            case .set(let values, _): NSMutableSet(array: unique(values))
            case .orderedSet(let values, _): NSMutableOrderedSet(array: unique(values))
            case .dictionary(let entries, _): dictionary(entries)
            case .object, .reference: nil
            }
        }

        private func elements(_ values: [ArchivedValue]) -> [Any] {
            let objects = values.map { object($0) ?? NSNull() }
            // Objects that could not be made must not be put into a collection that compares its elements.
            return failure == nil ? objects : []
        }

        private func unique(_ values: [ArchivedValue]) -> [Any] {
            guard values.allSatisfy(\.isHashable) else {
                failWithError(ArchiveRefusal.incomparable)
                return []
            }
            return elements(values)
        }

        private func dictionary(_ entries: [ArchivedEntry]) -> NSObject {
            let dictionary = NSMutableDictionary()
            for (key, value) in zip(unique(entries.map(\.key)), elements(entries.map(\.value))) {
                guard let key = key as? NSObject, key is any NSCopying else {
                    failWithError(ArchiveRefusal(found: "a dictionary with a key that can't be one"))
                    break
                }
                dictionary.setObject(value, forKey: key)
            }
            return dictionary
        }

        // MARK: Numbers and bytes

        private func number(_ key: String) -> NSNumber? { fields[key].flatMap { foundationObject($0) as? NSNumber } }

        override func decodeBool(forKey key: String) -> Bool { number(key)?.boolValue ?? false }
        override func decodeCInt(forKey key: String) -> Int32 { number(key)?.int32Value ?? 0 }
        override func decodeInt32(forKey key: String) -> Int32 { number(key)?.int32Value ?? 0 }
        override func decodeInt64(forKey key: String) -> Int64 { number(key)?.int64Value ?? 0 }
        override func decodeInteger(forKey key: String) -> Int { number(key)?.intValue ?? 0 }
        override func decodeFloat(forKey key: String) -> Float { number(key)?.floatValue ?? 0 }
        override func decodeDouble(forKey key: String) -> Double { number(key)?.doubleValue ?? 0 }

        override func withDecodedUnsafeBytes<Result>(
            forKey key: String, body: (UnsafeRawBufferPointer?) throws -> Result
        ) rethrows -> Result {
            guard case .data(let data, _)? = fields[key] else { return try body(nil) }
            return try data.withUnsafeBytes { try body($0) }
        }

        override func withDecodedUnsafeBufferPointer<Result>(
            forKey key: String, body: (UnsafeBufferPointer<UInt8>?) throws -> Result
        ) rethrows -> Result {
            try withDecodedUnsafeBytes(forKey: key) { try body($0?.bindMemory(to: UInt8.self)) }
        }

        // MARK: Without keys

        override func decodeData() -> Data? { decodeObject() as? Data }

        override func decodeValue(ofObjCType type: UnsafePointer<Int8>, at data: UnsafeMutableRawPointer) {
            failWithError(ArchiveRefusal(found: "an object whose class reads its values without keys"))
        }
    }

    extension ArchivedValue {
        /// Whether Foundation's hash values agree with equality on Linux. Those of null and of ordered sets don't, and
        /// computing that of a decimal number never ends.
        fileprivate var isHashable: Bool {
            switch self {
            case .null, .orderedSet: false
            case .number(let literal): UInt64(literal) != nil
            case .array(let values, _), .set(let values, _): values.allSatisfy(\.isHashable)
            case .dictionary(let entries, _): entries.allSatisfy { $0.key.isHashable && $0.value.isHashable }
            // Of shared objects, collections are refused before anything is made, and no others are in question.
            case .bool, .integer, .real, .string, .data, .date, .url, .uuid, .object, .reference: true
            }
        }
    }
#endif
