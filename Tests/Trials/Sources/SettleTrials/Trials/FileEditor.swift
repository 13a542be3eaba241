import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

/// Changes a JSON file in the ways that editors and scripts do.
struct FileEditor {
    let path: String

    enum Manner: CaseIterable {
        /// Empties the file and writes it again.
        case inPlace
        /// Replaces the file with a new one.
        case atomically
        /// Like `inPlace`, but restores the file's time to the second, as with file systems and tools of that
        /// precision. The length stays the same too.
        case inPlaceWithinOneSecond
        /// Like `atomically`, but restores the time.
        case atomicallyWithinOneSecond
    }

    func waitForFile() -> Bool {
        let isThere: Bool? = MonotonicTime.poll(atMost: 5) {
            FileManager.default.fileExists(atPath: path) ? true : nil
        }
        return isThere ?? false
    }

    func text() throws -> String {
        try String(contentsOf: URL(filePath: path), encoding: .utf8)
    }

    /// Sets one number and leaves the rest as it is.
    ///
    /// - Returns: False if the file was replaced between the reading and the writing, so that the edit went
    ///   into a file that has no name any more, or over a version that it had not seen.
    func set(_ key: String, to number: Int, _ manner: Manner) throws -> Bool {
        let before = try status()
        let old = try text()
        let new = Self.text(old, with: key, number)
        switch manner {
        case .inPlace: try write(new, time: nil)
        case .inPlaceWithinOneSecond: try write(new, time: before)
        case .atomically, .atomicallyWithinOneSecond:
            // As late as an editor can check.
            guard try status().st_ino == before.st_ino else { return false }
            try replace(with: new, time: manner == .atomically ? nil : before)
            return true
        }
        return try status().st_ino == before.st_ino
    }

    /// Replaces the file with a new one with another text.
    func replace(with text: String) throws {
        try replace(with: text, time: nil)
    }

    private func replace(with text: String, time: stat?) throws {
        let temporary = path + "~"
        try Data(text.utf8).write(to: URL(filePath: temporary))
        if let time { _ = utimensat(AT_FDCWD, temporary, Self.wholeSecond(of: time), 0) }
        guard rename(temporary, path) == 0 else { throw TrialError("“\(path)” can't be replaced: error \(errno).") }
    }

    private func write(_ text: String, time: stat?) throws {
        let file = open(path, O_WRONLY | O_TRUNC)
        guard file >= 0 else { throw TrialError("“\(path)” can't be opened: error \(errno).") }
        defer { close(file) }
        let bytes = Array(text.utf8)
        // In two parts, like large files.
        let half = bytes.count / 2
        bytes.withUnsafeBytes { bytes in
            _ = Self.write(file, bytes[..<half])
            _ = Self.write(file, bytes[half...])
        }
        if let time { _ = futimens(file, Self.wholeSecond(of: time)) }
    }

    private static func write(_ file: CInt, _ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        systemWrite(file, UnsafeRawBufferPointer(rebasing: bytes))
    }

    private func status() throws -> stat {
        var status = stat()
        guard stat(path, &status) == 0 else { throw TrialError("“\(path)” is gone: error \(errno).") }
        return status
    }

    private static func wholeSecond(of status: stat) -> [timespec] {
        #if canImport(Darwin)
            let second = status.st_mtimespec.tv_sec
        #else
            let second = status.st_mtim.tv_sec
        #endif
        return [timespec(tv_sec: second, tv_nsec: 0), timespec(tv_sec: second, tv_nsec: 0)]
    }

    private static func text(_ old: String, with key: String, _ number: Int) -> String {
        if let range = old.firstRange(of: "\"\(key)\": "),
            let end = old[range.upperBound...].firstIndex(where: { !$0.isNumber })
        {
            return old.replacingCharacters(in: range.upperBound..<end, with: "\(number)")
        }
        guard let brace = old.firstIndex(of: "{") else { return "{\n  \"\(key)\": \(number)\n}\n" }
        var new = old
        new.insert(contentsOf: "\n  \"\(key)\": \(number),", at: new.index(after: brace))
        return new
    }
}

/// The system's function: in a type whose own functions have its name, only a qualified one would reach it, and each C
/// library has another name.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
