import Settle

/// The contents of a page: the token that it is not older than, its settings, and a digest of each of their forms.
///
/// It is the identifier of each event, so a browser returns it when it reconnects, also to another process that serves
/// the same store. The digests are compared with the current forms, whatever domain has changed them: sources in the
/// history and sources outside it, such as an argument, an administrator's file, a registered default, or a value that
/// was never saved because its program was killed.
struct PageCursor: Sendable, Hashable {
    /// The token; `nil` if there is no history.
    let token: ChangeToken?
    let outline: String
    private let digests: [FormDigest]
    /// The number of forms on the page.
    private let count: Int

    /// The maximum number of individual digests. A page with more forms has digests of groups, so that they fit in a
    /// header.
    private static let limit = 96

    init(token: ChangeToken?, outline: String, forms: [FormDigest]) {
        (self.token, self.outline, count) = (token, outline, forms.count)
        guard forms.count > Self.limit else {
            digests = forms
            return
        }
        digests = Dictionary(grouping: forms.indices) { Self.group(of: $0, count: forms.count) }
            .sorted { $0.key < $1.key }.map { FormDigest(of: $0.value.map { forms[$0] }) }
    }

    private static func group(of form: Int, count: Int) -> Int { count > limit ? form * limit / count : form }

    /// Returns the forms, by their order on the page, that differ from those of another page with the same settings.
    ///
    /// - Returns: `nil` if that can't be determined, because the pages do not have the same settings.
    func differences(from other: PageCursor) -> [Int]? {
        guard outline == other.outline, count == other.count, digests.count == other.digests.count else { return nil }
        return (0..<count).filter {
            let group = Self.group(of: $0, count: count)
            return digests[group] != other.digests[group]
        }
    }
}

extension PageCursor: LosslessStringConvertible {
    /// The parts separated by full stops, in characters that need no encoding in a header or an address.
    var description: String {
        "\(token?.description ?? "").\(outline).\(count).\(digests.map(\.text).joined())"
    }

    init?(_ description: String) {
        let parts = description.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4, let count = Int(Substring(parts[2])), count >= 0 else { return nil }
        token = ChangeToken(String(Substring(parts[0])))
        guard token != nil || parts[0].isEmpty else { return nil }
        (outline, self.count) = (String(Substring(parts[1])), count)
        var (rest, digests) = (parts[3][...], [FormDigest]())
        while !rest.isEmpty {
            guard let digest = FormDigest(rest.prefix(FormDigest.length)) else { return nil }
            digests.append(digest)
            rest = rest.dropFirst(FormDigest.length)
        }
        guard digests.count == min(count, Self.limit) else { return nil }
        self.digests = digests
    }
}
