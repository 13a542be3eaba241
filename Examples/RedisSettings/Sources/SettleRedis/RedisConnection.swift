import CHiredis
import Foundation

/// Where a Redis server is.
public struct RedisServer: Sendable, Hashable {
    public var host: String
    public var port: Int
    public var password: String?

    /// Creates the address of a server; by default that of one on this machine, without a password.
    public init(host: String = "127.0.0.1", port: Int = 6_379, password: String? = nil) {
        (self.host, self.port, self.password) = (host, port, password)
    }
}

/// Why a command has no answer.
struct RedisFailure: Error {
    var description: String
    /// Whether the server has surely not executed the command.
    var isRefused = false
}

enum RedisReply: Sendable {
    case null
    case integer(Int)
    case text(String)
    case list([RedisReply])

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var integer: Int? { if case .integer(let number) = self { number } else { nil } }
    var list: [RedisReply]? { if case .list(let elements) = self { elements } else { nil } }
    var texts: [String] { list?.compactMap(\.text) ?? [] }
}

/// A connection through hiredis, which blocks its thread.
final class RedisConnection: @unchecked Sendable {
    // Sendable: one call at a time has the connection. Another thread only calls `cut()`, which uses the descriptor
    // alone; that is closed in `deinit`, when nobody has the connection any more.
    private let context: UnsafeMutablePointer<redisContext>
    private let descriptor: CInt

    /// A write to a connection that the server has closed must not end the process, and hiredis has no option for it.
    private static let ignoringBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

    /// - Parameter time: The limit for connecting, and for the answer to the password.
    init(_ server: RedisServer, within time: Duration) throws(RedisFailure) {
        _ = Self.ignoringBrokenPipes
        let (seconds, attoseconds) = time.components
        let limit = timeval(tv_sec: Int(seconds), tv_usec: numericCast(attoseconds / 1_000_000_000_000))
        guard let context = redisConnectWithTimeout(server.host, CInt(server.port), limit) else {
            throw RedisFailure(description: "There is no memory for a connection.", isRefused: true)
        }
        (self.context, descriptor) = (context, context.pointee.fd)
        guard context.pointee.err == 0 else {
            throw RedisFailure(description: "\(server.host):\(server.port): \(failure)", isRefused: true)
        }
        redisEnableKeepAlive(context)
        if let password = server.password {
            redisSetTimeout(context, limit)
            do { _ = try call(["AUTH", password]) } catch {
                throw RedisFailure(description: error.description, isRefused: true)
            }
            // Later calls have none: a subscription waits for its next message, and other calls can be cancelled.
            redisSetTimeout(context, timeval())
        }
    }

    deinit { redisFree(context) }

    /// Whether the connection is open, and no unexpected message has arrived.
    var isQuiet: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }

    /// Ends the call that is under way, and every later one.
    func cut() { shutdown(descriptor, CInt(SHUT_RDWR)) }

    /// Sends a command and waits for its answer.
    func call(_ arguments: [String]) throws(RedisFailure) -> RedisReply {
        let bytes = arguments.map { Array($0.utf8) }
        let lengths = bytes.map(\.count)
        let answer = Array(bytes.joined()).withUnsafeBytes { buffer in
            var pointers: [UnsafePointer<CChar>?] = []
            var start = buffer.baseAddress
            for length in lengths {
                pointers.append(start?.assumingMemoryBound(to: CChar.self))
                start = start?.advanced(by: length)
            }
            return redisCommandArgv(context, CInt(pointers.count), &pointers, lengths)
        }
        return try take(answer)
    }

    /// Waits for the next message of a subscription.
    func message() throws(RedisFailure) -> RedisReply {
        var answer: UnsafeMutableRawPointer?
        redisGetReply(context, &answer)
        return try take(answer)
    }

    private func take(_ answer: UnsafeMutableRawPointer?) throws(RedisFailure) -> RedisReply {
        guard let answer else { throw RedisFailure(description: failure) }
        defer { freeReplyObject(answer) }
        return try Self.reply(answer.assumingMemoryBound(to: redisReply.self).pointee)
    }

    private static func reply(_ reply: redisReply) throws(RedisFailure) -> RedisReply {
        let text = { String(decoding: UnsafeRawBufferPointer(start: reply.str, count: reply.len), as: UTF8.self) }
        switch reply.type {
        case REDIS_REPLY_INTEGER: return .integer(Int(reply.integer))
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: return .text(text())
        case REDIS_REPLY_ERROR: throw RedisFailure(description: text(), isRefused: true)
        case REDIS_REPLY_ARRAY:
            var elements: [RedisReply] = []
            for index in 0..<reply.elements {
                guard let element = reply.element[index] else { continue }
                elements.append(try Self.reply(element.pointee))
            }
            return .list(elements)
        default: return .null
        }
    }

    private var failure: String {
        withUnsafeBytes(of: context.pointee.errstr) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
