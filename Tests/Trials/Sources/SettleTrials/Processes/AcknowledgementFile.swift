import Foundation
import TrialChecks

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

/// The file in which a child reports what it has done. Each line is one `write` to a descriptor in append mode, so the
/// whole line is in the file when `add` returns, and killing the child does not remove it.
struct AcknowledgementFile: Sendable {
    private let descriptor: CInt

    /// For the child. The file stays open until the process ends.
    init(path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TrialError("“\(path)” can't be opened: error \(errno).") }
    }

    func add(_ word: String, _ numbers: Int..., text: String? = nil) {
        add(Acknowledgement(word, numbers, text: text))
    }

    func add(_ acknowledgement: Acknowledgement) {
        let bytes = Array((acknowledgement.line + "\n").utf8)
        // Short writes do not occur on files with room; if one did, the parent would see a cut line and fail.
        _ = write(descriptor, bytes, bytes.count)
    }

    /// For the parent.
    static func read(_ path: String) -> [Acknowledgement] {
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        return Acknowledgement.all(in: String(decoding: data, as: UTF8.self))
    }

    /// For the parent, so that the next child starts with an empty file.
    static func remove(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
    }
}
