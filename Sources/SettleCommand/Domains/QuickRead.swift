import Settle
import SettleInterchange

/// Answers `read DOMAIN KEY`, as scripts call it many times, before it sets up what only other verbs need.
///
/// It takes only plain names, and leaves all else to the verb, whose answer would be the same.
struct QuickRead {
    let directory: DomainDirectory

    /// The text that the verb would print.
    ///
    /// - Parameter arguments: The verb and its arguments.
    /// - Returns: `nil` if the verb has to run.
    func text(for arguments: ArraySlice<String>) -> String? {
        guard arguments.count == 3, let verb = arguments.first, verb == "read" || verb == "get" else { return nil }
        let (domain, key) = (arguments[arguments.startIndex + 1], arguments[arguments.startIndex + 2])
        guard domain.isPlainName, domain != DomainAddress.globalName, key.isPlainName, !key.hasEmptyPart else {
            return nil
        }
        let value = FileStorage.valueAtFirstSight(of: key, in: directory.path(ofDomain: domain))
        return value.map { DefaultsText.text(of: $0) }
    }
}

extension String {
    /// Whether it is neither an option, nor a path, nor a key with escapes. As a folder, it is neither `.` nor `..`.
    fileprivate var isPlainName: Bool {
        guard let first = utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: ".") else { return false }
        return utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }

    /// Whether nothing stands before, behind or between dots.
    fileprivate var hasEmptyPart: Bool {
        var previous = UInt8(ascii: ".")
        for byte in utf8 {
            if byte == UInt8(ascii: "."), previous == byte { return true }
            previous = byte
        }
        return previous == UInt8(ascii: ".")
    }
}
