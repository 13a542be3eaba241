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
/// Nothing of it is executed, and nothing is created by the name of a class. Reading takes time and memory in
/// proportion to the archive: one whose values nest more than 128 levels deep, or that stands for far more values than
/// it has objects, is refused. Archives from before there were keyed ones (typed streams) are recognised and refused.
public struct KeyedArchive: Sendable, Hashable {
    /// The key of the value that most archives have at their top, and nothing else.
    public static let rootKey = "root"

    /// The values at the top, by the keys under which a program has encoded them.
    public var top: ArchivedFields

    /// Creates an archive of values at the top.
    public init(top: ArchivedFields) { self.top = top }

    /// Creates an archive of one value, as `archivedData(withRootObject:)` does.
    public init(root: ArchivedValue) {
        top = ArchivedFields()
        top.set(root, isPrimitive: false, forKey: Self.rootKey)
    }

    /// The value of `archivedData(withRootObject:)`; `nil` if the archive was made key by key.
    public var root: ArchivedValue? { top[Self.rootKey] }

    /// Reads an archive.
    ///
    /// - Throws: ``ArchiveError`` with what is wrong, and the way to it.
    public init(_ data: Data) throws(ArchiveError) {
        let bytes = [UInt8](data)
        var walker = ArchiveWalker(try ArchiveTable(bytes), size: bytes.count)
        top = try walker.readTop()
    }
}
