import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Links that let one browser in, once.
///
/// Loading the page that a link leads to does not spend it, since mail programs and browsers fetch pages on their own:
/// only the button there does. Links are in memory, so a restart ends the unused ones.
final class OneTimeLinks: Sendable {
    /// The end of each unused link.
    private let ends = Mutex<[String: Date]>([:])
    private let lifetime: TimeInterval

    /// The maximum number of links. If there are more, the oldest ones end.
    private static let limit = 64

    init(lifetime: TimeInterval) { self.lifetime = lifetime }

    func make(at now: Date) -> String {
        let secret = HexadecimalText.random()
        ends.withLock { ends in
            ends = ends.filter { $0.value > now }
            if ends.count >= Self.limit, let oldest = ends.min(by: { $0.value < $1.value })?.key { ends[oldest] = nil }
            ends[secret] = Date(timeIntervalSince1970: now.timeIntervalSince1970 + lifetime)
        }
        return secret
    }

    /// Returns whether a link can be used.
    func isValid(_ secret: String, at now: Date) -> Bool { ends.withLock { Self.match(secret, $0, now) != nil } }

    /// - Returns: Whether the link was valid. It no longer is.
    func spend(_ secret: String, at now: Date) -> Bool {
        ends.withLock { ends in
            guard let match = Self.match(secret, ends, now) else { return false }
            ends[match] = nil
            return true
        }
    }

    /// Compares a secret with all links, in the same time for each.
    private static func match(_ secret: String, _ ends: [String: Date], _ now: Date) -> String? {
        ends.filter { $0.key.isSameSecret(as: secret) && $0.value > now }.keys.first
    }
}
