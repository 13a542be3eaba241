import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension KeyedArchive {
    /// The form of an archive.
    public enum Form: Sendable, Hashable {
        /// A binary property list, as `NSKeyedArchiver` writes it by default.
        case binary
        /// A property list in XML.
        case xml
    }

    /// Returns the archive, for an `NSKeyedUnarchiver` of a program that has the classes.
    ///
    /// Each of the ``sharedObjects`` is one object, however many references to it there are; those to which nothing
    /// refers are left out. Equal plain values, such as numbers and strings of up to 256 bytes, are one object too,
    /// unless they are mutable. Any other value is an object of its own.
    ///
    /// - Throws: ``ArchiveError`` with the path to a value that archives can't hold: a decimal number of more than 38
    ///   digits, a date that is not finite, a reference to an object that the archive does not have, more than 128
    ///   levels in one object. In XML, a date stored in an object itself must be in whole seconds of the years 0 to
    ///   9999.
    public func data(as form: Form = .binary) throws(ArchiveError) -> Data {
        let list = try ArchiveWriter.list(of: self)
        do throws(FormatError) {
            return Data(form == .binary ? try PropertyListDocument.binary(list) : try PropertyListDocument.xml(list))
        } catch {
            throw ArchiveError(.unsupportedValue, "The archive can't be written: \(error)")
        }
    }
}
