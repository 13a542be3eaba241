import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The objects of a keyed archive by their numbers, as in its property list.
///
///     $archiver  "NSKeyedArchiver"
///     $version   100000
///     $top       the values at the top, by key: references, numbers, truth values
///     $objects   all objects: the first is "$null"; a class is {$classname, $classes}, an object
///                {$class: reference, …}
///
/// A reference is {CF$UID: n} in XML, and a separate type in the binary form.
struct ArchiveTable {
    /// An entry of an object or of the top.
    enum Part {
        /// Another object.
        case reference(Int)
        /// A value stored in the entry itself.
        case value(SettingValue)
    }

    let objects: [SettingValue]
    let top: SettingValue.Entries

    private static let version: Int64 = 100_000
    /// The first bytes of archives in the format that preceded keyed ones.
    private static let typedStreams = [Array("\u{4}\u{B}streamtyped".utf8), Array("\u{4}\u{B}typedstream".utf8)]

    init(_ bytes: [UInt8]) throws(ArchiveError) {
        guard !Self.typedStreams.contains(where: bytes.starts(with:)) else {
            throw ArchiveError(
                .typedStream,
                "This is a typed stream, as NSArchiver wrote it before there were keyed archives. Its values can only be "
                    + "read by a program that has its classes: let that program archive them with NSKeyedArchiver.")
        }
        let list: SettingValue
        do throws(FormatError) {
            list = try PropertyListDocument.read(bytes)
        } catch {
            throw ArchiveError(
                error.rule == .limit ? .limit : .notAnArchive,
                "A keyed archive is a property list in the XML or binary form, and this is not one. \(error)")
        }
        guard case .dictionary(let root) = list, let version = root["$version"], let archiver = root["$archiver"] else {
            throw ArchiveError(
                .notAnArchive, "This is a property list, but not of an archive: it has no $archiver and $version.")
        }
        guard case .string(let name) = archiver, name == "NSKeyedArchiver" || name == "NSKeyedUnarchiver" else {
            throw ArchiveError(.unknownVersion, "The archive was not made by NSKeyedArchiver.")
        }
        guard version == .integer(Self.version) else {
            throw ArchiveError(
                .unknownVersion, "The archive is not of version \(Self.version), the only one that is known.")
        }
        guard case .array(let objects)? = root["$objects"], case .dictionary(let top)? = root["$top"],
            objects.first == .string("$null")
        else {
            throw ArchiveError(
                .damaged, "The archive has no table of objects that begins with $null, or nothing at its top.")
        }
        self.objects = objects
        self.top = top
    }

    /// Interprets an entry. A reference to no object is an error of its own, found when it is followed.
    static func part(_ value: SettingValue) -> Part {
        guard case .dictionary(let entries) = value, entries.count == 1,
            case .integer(let number)? = entries[PropertyListDialect.referenceKey]
        else { return .value(value) }
        return .reference(Int(clamping: number))
    }

    /// Returns an object's own key, or `nil` for one that the archiver adds: keys that a program begins with a dollar
    /// sign have one more, so that they do not look like the archiver's.
    static func programKey(_ key: String) -> String? {
        guard key.utf8.first == UInt8(ascii: "$") else { return key }
        let rest = key.utf8.dropFirst()
        // `$0`, `$1`, … are values encoded without a key.
        guard rest.first == UInt8(ascii: "$") else { return rest.allSatisfy(\.isDigit) ? key : nil }
        return String(key.unicodeScalars.dropFirst())
    }

    /// A class of archived objects.
    struct Class {
        let name: String
        /// Its superclasses, the nearest first.
        let superclasses: [String]
        /// The class of Foundation that it is, or from which it derives, and whether that is the mutable one.
        let foundation: (kind: FoundationClass, isMutable: Bool)?
        /// Whether it is a class of Foundation itself.
        let isFoundations: Bool
    }

    /// - Returns: `nil` if the object does not describe a class.
    func describedClass(_ number: Int) -> Class? {
        guard objects.indices.contains(number), case .dictionary(let entries) = objects[number],
            case .string(let name)? = entries["$classname"]
        else { return nil }
        var names: [String] = []
        if case .array(let all)? = entries["$classes"] {
            names = all.compactMap { if case .string(let name) = $0 { name } else { nil } }
        }
        if names.first.map({ $0.utf8.elementsEqual(name.utf8) }) == true { names.removeFirst() }
        let all = [name] + names
        let foundation = all.lazy.compactMap { name in
            FoundationClass(named: name).map { (kind: $0, isMutable: FoundationClass.isMutable(name)) }
        }
        return Class(
            name: name, superclasses: names.isEmpty ? ["NSObject"] : names, foundation: foundation.first,
            isFoundations: FoundationClass(named: name) != nil)
    }
}
