import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An archive of `NSKeyedArchiver`, read and written without the classes of its objects.
///
/// It may come from `archivedData(withRootObject:)`, from a value of `UserDefaults`, or from a file of
/// `archiveRootObject(_:toFile:)`, in XML or in the binary form:
///
/// ```swift
/// let archive = try KeyedArchive(data)
/// if case .object(let person)? = archive.root { print(person.className, person.fields["name"]) }
/// ```
///
/// An object to which the archive refers several times is read once, is in ``sharedObjects``, and is one object again
/// in the archive that ``data(as:)`` returns.
///
/// Reading executes nothing in the archive, and creates nothing by the name of a class. It takes time and memory in
/// proportion to the archive, however often the archive refers to its objects. One whose values nest more than 128
/// levels deep, not counting those in shared objects, is refused. Archives in the format that preceded keyed ones
/// (typed streams) are recognised and refused.
public struct KeyedArchive: Sendable, Hashable {
    /// The key of the only value that most archives have at their top.
    public static let rootKey = "root"

    /// The values at the top, by the keys under which a program has encoded them.
    public var top: ArchivedFields
    /// The objects to which the archive refers several times, in the order of their first references from the top.
    /// ``ArchivedValue/reference(_:)`` stands for each of them. They may refer to each other, and to themselves.
    public var sharedObjects: [ArchivedValue]

    /// Creates an archive of values at the top.
    public init(top: ArchivedFields, sharedObjects: [ArchivedValue] = []) {
        self.top = top
        self.sharedObjects = sharedObjects
    }

    /// Creates an archive of one value, as `archivedData(withRootObject:)` does.
    public init(root: ArchivedValue, sharedObjects: [ArchivedValue] = []) {
        self.init(top: ArchivedFields(), sharedObjects: sharedObjects)
        top.set(root, isPrimitive: false, forKey: Self.rootKey)
    }

    /// The value of `archivedData(withRootObject:)`, also if it is shared; `nil` if the archive was made key by key.
    public var root: ArchivedValue? { top[Self.rootKey].flatMap(resolved) }

    /// Returns the shared object for which a reference stands, and any other value itself.
    ///
    /// - Returns: `nil` for a reference to an object that the archive does not have. No archive that was read has one.
    public func resolved(_ value: ArchivedValue) -> ArchivedValue? {
        guard case .reference(let index) = value else { return value }
        return sharedObjects.indices.contains(index) ? sharedObjects[index] : nil
    }

    /// Reads an archive.
    ///
    /// - Throws: ``ArchiveError`` with the problem, and the path to it.
    public init(_ data: Data) throws(ArchiveError) {
        let bytes = [UInt8](data)
        var walker = ArchiveWalker(try ArchiveTable(bytes), size: bytes.count)
        (top, sharedObjects) = try walker.read()
    }
}
