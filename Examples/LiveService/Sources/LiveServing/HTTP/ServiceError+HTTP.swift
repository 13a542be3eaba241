import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import Settle

extension ServiceError {
    static let tooSlow = ServiceError(.requestTimeout, "The request took too long to arrive.")
    static let tooManyConnections = ServiceError(
        .serviceUnavailable, "Too many connections are in use.", headers: [.retryAfter: "1"])

    static let longPath = ServiceError(
        .uriTooLong, "The path and the query are longer than \(RequestLine.limit) bytes.")

    /// The answer to what can't be parsed.
    init(_ error: HTTPParserError, in line: RequestLine?) {
        switch error {
        case .headerOverflow where line?.isTooLong == true:
            self = .longPath
        case .headerOverflow:
            self.init(.requestHeaderFieldsTooLarge, "The header has too many fields, or one that is too long.")
        case .invalidMethod where line?.hasMethod == true:
            self.init(.notImplemented, "There is no such method in HTTP.")
        case .invalidVersion:
            self.init(.httpVersionNotSupported, "The service speaks HTTP/1.1.")
        default:
            self.init(.badRequest, "The request is not valid HTTP.")
        }
    }

    private var json: String { SettingValue.dictionary(["error": .string(sentence)]).jsonText + "\n" }

    /// The whole HTTP message, for a request that the router does not get. It is the last one of its connection.
    var message: ByteBuffer {
        let text = json
        var fields = headers
        fields[.connection] = "close"
        fields[.contentLength] = "\(text.utf8.count)"
        fields[.contentType] = "application/json; charset=utf-8"
        let lines = fields.map { "\($0.name.rawName): \($0.value)\r\n" }.joined()
        return ByteBuffer(string: "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n\(lines)\r\n\(text)")
    }
}
