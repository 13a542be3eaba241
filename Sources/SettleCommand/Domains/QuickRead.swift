import Settle

/// Answers `read DOMAIN KEY`, which scripts call many times, before setting up anything that only other verbs need.
///
/// It handles only plain names, and leaves everything else to the verb, whose answer would be the same.
struct QuickRead {
    let directory: DomainDirectory

    /// Returns the value that the verb would print.
    ///
    /// - Parameter arguments: The verb and its arguments.
    /// - Returns: `nil` if the verb has to run.
    func value(for arguments: ArraySlice<String>) -> SettingValue? {
        guard arguments.count == 3, let verb = arguments.first, verb == "read" || verb == "get" else { return nil }
        let (domain, key) = (arguments[arguments.startIndex + 1], arguments[arguments.startIndex + 2])
        guard domain.isPlainName, domain != DomainAddress.globalName, key.isPlainName, !key.hasEmptyPart else {
            return nil
        }
        return FileStorage.valueAtFirstSight(of: key, in: directory.path(ofDomain: domain))
    }
}

extension String {
    /// Whether it is not an option, a path, or a key with escapes. As a folder, it is neither `.` nor `..`.
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

    /// Whether a part before, after or between dots is empty.
    fileprivate var hasEmptyPart: Bool {
        var previous = UInt8(ascii: ".")
        for byte in utf8 {
            if byte == UInt8(ascii: "."), previous == byte { return true }
            previous = byte
        }
        return previous == UInt8(ascii: ".")
    }
}
