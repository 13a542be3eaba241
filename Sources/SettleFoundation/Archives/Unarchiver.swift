import Foundation
import SettleInterchange

/// The reason that an archive was not read: a text after "found" that quotes no value.
struct ArchiveRefusal: Error {
    let found: String

    static let incomparable = ArchiveRefusal(found: "a set or a key with values that Foundation can't tell apart")
}

/// Reads archives with the classes of their objects.
enum Unarchiver {
    /// - Parameters:
    ///   - classes: The classes that the root may have, and, if it is a collection, its elements.
    ///   - isSecure: Whether only these classes, and those that they request, are made.
    static func root(of data: Data, _ classes: [AnyClass], isSecure: Bool) throws(ArchiveRefusal) -> Any? {
        let key = NSKeyedArchiveRootObjectKey
        let decoder = try decoder(of: data, isSecure: isSecure)
        let root = isSecure ? decoder.decodeObject(of: classes, forKey: key) : decoder.decodeObject(forKey: key)
        if decoder.error != nil {
            // A class's own error may quote values.
            throw decoder.error as? ArchiveRefusal ?? ArchiveRefusal(found: "one that its class, or one in it, refuses")
        }
        return root
    }

    private static func decoder(of data: Data, isSecure: Bool) throws(ArchiveRefusal) -> NSCoder {
        let archive: KeyedArchive
        do throws(ArchiveError) {
            // Within bounds, and without ending the program on damaged data.
            archive = try KeyedArchive(data)
        } catch {
            let reason = error.description
            let words = reason.hasSuffix(".") ? reason.dropLast() : reason[...]
            throw ArchiveRefusal(found: "data that can't be read (\(words))")
        }
        // Readers follow every reference, and use stack space for each.
        guard !archive.isDeep else { throw ArchiveRefusal(found: "one whose objects nest too deeply") }
        switch archive.collectionProblem {
        case .repetition: throw ArchiveRefusal(found: "one whose collections repeat others too often")
        case .comparison: throw ArchiveRefusal.incomparable
        case nil: break
        }
        #if canImport(ObjectiveC)
            do {
                let decoder = try NSKeyedUnarchiver(forReadingFrom: data)
                decoder.requiresSecureCoding = isSecure
                decoder.decodingFailurePolicy = .setErrorAndReturn
                return decoder
            } catch {
                throw ArchiveRefusal(found: "data that Foundation can't read")
            }
        #else
            return ArchiveDecoder(archive, isSecure: isSecure)
        #endif
    }
}
