import Hummingbird
import Settle

/// The token that a request presents, for comparing it with the one that is set.
struct AdminToken: Sendable {
    private let text: String

    /// `nil` if the request has no bearer token.
    init?(of request: Request) {
        guard let header = request.headers[.authorization], let space = header.firstIndex(of: " "),
            header[..<space].lowercased() == "bearer"
        else { return nil }
        text = header[space...].trimmingWhitespace()
    }

    init(_ text: String) {
        self.text = text
    }

    /// Whether this is the token. The time that it takes depends on the lengths only; an empty token is nobody's.
    func matches(_ token: Secret<String>) -> Bool {
        let expected = Array(token.revealed.utf8)
        let given = Array(text.utf8)
        guard !expected.isEmpty, given.count == expected.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(expected, given) { difference |= left ^ right }
        return difference == 0
    }
}

extension StringProtocol {
    fileprivate func trimmingWhitespace() -> String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
