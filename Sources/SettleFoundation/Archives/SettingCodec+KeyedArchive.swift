public import Foundation
public import Settle

extension SettingCodec where Value: NSObject & NSCoding & Sendable {
    /// Stores an object as data: the archive that `NSKeyedArchiver` makes of it.
    ///
    /// ```swift
    /// @Setting(codec: .keyedArchive) var author = Person(name: "Alice")
    /// @Setting(codec: .keyedArchive) var editor: Person? = nil
    /// @Setting(codec: .keyedArchive) var friends: [Person] = []
    /// ```
    ///
    /// A class that returns true from `supportsSecureCoding` is read securely: the archive can't make objects of other
    /// classes than those that the class requests. An archive that can't be read is a `SettingCodingError`, so the
    /// value is not in force and stays in the file. This applies to damaged data, an object of another class, a class
    /// that the program does not have, and, without an Objective-C runtime, objects that contain themselves, which
    /// Foundation's reader does not survive there. It also applies to archives that would take far longer to read than
    /// they are large: objects that nest more than 128 levels deep, a collection that has over 262,144 values more than
    /// the archive if those that it repeats count each time, and a set or a key with a collection to which the archive
    /// refers several times. An object that could not be read again is not written either.
    ///
    /// A class whose name differs in old archives, such as one without a module, is found after
    /// `NSKeyedUnarchiver.setClass(Person.self, forClassName: "Person")`.
    ///
    /// The value is shared by all readers of the setting, so its class is `Sendable`: final, with constants only, or
    /// guarded and `@unchecked Sendable`. To change the setting, assign another object. Values are compared by
    /// `isEqual(_:)`; if a class does not override it, every assignment is a change.
    public static var keyedArchive: SettingCodec {
        SettingCodec(
            encode: { try ArchiveForm<Value?>.encode($0) },
            decode: { stored in
                guard let object = try ArchiveForm<Value?>.decode(stored) else {
                    throw ArchiveForm<Value?>.error("nothing")
                }
                return object
            })
    }
}

extension SettingCodec where Value: ArchivedObjects {
    /// Stores an optional object, or an array of objects, as an archive of `NSKeyedArchiver`; see the codec for an
    /// object. `nil` is stored as `SettingValue.null`.
    public static var keyedArchive: SettingCodec {
        SettingCodec(encode: { try ArchiveForm.encode($0) }, decode: { try ArchiveForm.decode($0) })
    }
}

/// The stored form of objects.
private enum ArchiveForm<Value: ArchivedObjects> {
    static func encode(_ value: Value) throws -> SettingValue {
        guard let root = value.archivedRoot else { return .null }
        // Requiring secure coding here ends the program on Linux for classes without it. Reading the archive back
        // refuses them too.
        let archive = try NSKeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: false)
        _ = try self.value(of: archive)
        // Equal objects have equal archives: Foundation's order of keys differs each time.
        return .data(Data(try PropertyListDocument.binary(try PropertyListDocument.read([UInt8](archive)))))
    }

    static func decode(_ stored: SettingValue) throws -> Value {
        if stored == .null, let none = Value(archivedRoot: nil) { return none }
        let data: Data
        do {
            data = try SettingCodec<Data>.standard.decode(stored)
        } catch let error as SettingCodingError {
            throw self.error(error.found)
        }
        return try value(of: data)
    }

    static func error(_ found: String) -> SettingCodingError {
        SettingCodingError(expected: "an archive of \(Value.Object.self)", found: found)
    }

    private static func value(of archive: Data) throws(SettingCodingError) -> Value {
        let isSecure = (Value.Object.self as? any NSSecureCoding.Type)?.supportsSecureCoding == true
        let root: Any?
        do throws(ArchiveRefusal) {
            root = try Unarchiver.root(of: archive, Value.archivedClasses, isSecure: isSecure)
        } catch {
            throw self.error(error.found)
        }
        guard let root else { throw error("one without an object at its root") }
        guard let value = Value(archivedRoot: root) else { throw error("an object of another class") }
        return value
    }
}
