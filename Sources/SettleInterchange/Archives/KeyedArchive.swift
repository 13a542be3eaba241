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
/// Reading executes nothing in the archive, and creates nothing by the name of a class. It takes time and memory in
/// proportion to the archive: one whose values nest more than 128 levels deep, or that represents far more values than
/// it has objects, is refused. Archives in the format that preceded keyed ones (typed streams) are recognised and
/// refused.
public struct KeyedArchive: Sendable, Hashable {
    /// The key of the only value that most archives have at their top.
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
    /// - Throws: ``ArchiveError`` with the problem, and the path to it.
    public init(_ data: Data) throws(ArchiveError) {
        let bytes = [UInt8](data)
        var walker = ArchiveWalker(try ArchiveTable(bytes), size: bytes.count)
        top = try walker.readTop()
    }
}
