import SettleHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes and recognizes links that let one browser in, once.
///
/// A link has all its data and a signature with the panel's key, so another process that can read the key can make
/// links for a running server. A program that can read the key could sign a session as well, so a link permits no more.
///
/// Loading the page that a link leads to does not spend it, since mail programs and browsers fetch pages on their own:
/// only the button there does.
struct OneTimeLinks: Sendable {
    let key: PanelKey
    let authentication: any MessageAuthentication
    /// The time in seconds after which an unused link ends.
    let lifetime: Int

    /// A link whose signature was valid, and whose time has not passed.
    struct Link: Sendable, Hashable {
        let id: String
        let end: Int
        let name: String?
    }

    // The digits of a link's parts, in this order; the rest is the name.
    private static let signatureLength = 32
    private static let idLength = 32
    private static let endLength = 10

    func make(for name: String?, at now: Date) -> String {
        let end = String(now.wholeSeconds + lifetime, radix: 16)
        let padding = String(repeating: "0", count: max(0, Self.endLength - end.utf8.count))
        let contents = HexadecimalText.random() + padding + end + HexadecimalText.text(of: (name ?? "").utf8)
        return signature(of: contents) + contents
    }

    /// Reads a link; `nil` if it was not made with this key, or has ended. It may have been spent.
    func link(_ text: String, at now: Date) -> Link? {
        var rest = Array(text.utf8)[...]
        func take(_ count: Int) -> String {
            defer { rest = rest.dropFirst(count) }
            return String(decoding: rest.prefix(count), as: UTF8.self)
        }
        let signature = take(Self.signatureLength)
        guard self.signature(of: String(decoding: rest, as: UTF8.self)).isSameSecret(as: signature) else { return nil }
        let id = take(Self.idLength)
        guard let end = Int(take(Self.endLength), radix: 16), end > now.wholeSeconds,
            let name = HexadecimalText.bytes(of: rest)
        else { return nil }
        return Link(id: id, end: end, name: name.isEmpty ? nil : String(decoding: name, as: UTF8.self))
    }

    private func signature(of contents: String) -> String {
        String(authentication.code(for: "link \(contents)", key).prefix(Self.signatureLength))
    }
}
