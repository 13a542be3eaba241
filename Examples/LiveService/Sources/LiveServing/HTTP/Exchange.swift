import HTTPTypes
import Hummingbird
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// A request and its answer, as far as they concern the connection.
struct Exchange {
    enum Answer {
        case none, begun, complete
    }

    /// HTTP/1.0 has neither chunks nor `100 Continue`, and closes connections unless asked not to.
    private let isOld: Bool
    let isHead: Bool
    var requestIsComplete = false
    var answer = Answer.none
    /// Whether the connection closes after the answer.
    var isLast: Bool
    /// Whether the client sends the body only after `100 Continue`.
    var waitsForInvitation: Bool

    init(_ head: HTTPRequestHead) {
        isOld = head.isOld
        isHead = head.method == .HEAD
        // A request to switch protocols is answered in this one. The parser takes nothing after it.
        isLast = !head.isKeepAlive || head.headers.contains(name: "Upgrade") || head.method == .CONNECT
        waitsForInvitation = !isOld && head.headers.contains(name: "Expect")
    }

    /// The head of the answer, with the version and the connection that the client understands.
    mutating func begin(_ response: HTTPResponse) -> HTTPResponseHead {
        answer = .begun
        // A client that was not asked for its body may send it or not: what follows can't be told apart. A body that
        // is too large is not read to its end.
        if waitsForInvitation || response.status == .contentTooLarge { isLast = true }
        var head = HTTPResponseHead(response)
        if !head.headers.contains(name: "Content-Length"), isOld || isHead {
            // Without chunks, the answer ends with the connection.
            isLast = true
            head.version = .http1_0
        } else if isOld {
            head.version = .http1_0
        }
        if isLast || isOld {
            head.headers.replaceOrAdd(name: "Connection", value: isLast ? "close" : "keep-alive")
        }
        return head
    }

    /// The request for the router.
    ///
    /// - Throws: The answer to a request that the router must not get.
    static func request(_ head: HTTPRequestHead) throws(ServiceError) -> HTTPRequest {
        guard head.uri.utf8.count <= RequestLine.limit else { throw .longPath }
        let hosts = head.headers["Host"].count
        guard hosts == 1 || hosts == 0 && head.isOld else {
            throw ServiceError(.badRequest, "A request has one Host, and not \(hosts).")
        }
        let expectations = head.headers["Expect"]
        guard expectations.allSatisfy({ $0.lowercased() == "100-continue" }) else {
            throw ServiceError(.expectationFailed, "The only expectation that the service meets is 100-continue.")
        }
        do {
            return try HTTPRequest(head, secure: false, splitCookie: false)
        } catch {
            throw ServiceError(.badRequest, "The request is not valid HTTP.")
        }
    }
}

extension HTTPRequestHead {
    fileprivate var isOld: Bool { version.major == 1 && version.minor == 0 }
}
