import ArgumentParser
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Settle
import SettleHTTP
import SettlePanelHummingbird
import Synchronization

/// The two servers that `panel-latency api` compares, in one process: one with an API as the guide mounts it, and a
/// bare one, which answers with the same bytes, and sends an event for each line of a pipe, or for each that is
/// appended to a file.
struct ServeAPI: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve-api")

    @Argument var file: String
    @Argument var pipe: String

    static let token = "latency-0123456789abcdef"

    func run() async throws {
        DescriptorLimit.raise()
        let store = try await SettingsStore.open(at: URL(filePath: file), configuration: .init(history: .keep()))
        let settings = try await store.group(Measured.self)
        // Once a value is stored, the answer has a token, and is the same from then on.
        try await settings.commit { settings.number = -1 }
        var configuration = SettingsAPI.Configuration(access: .tokens(APITokens { ["latency": APIToken(Self.token)] }))
        configuration.streamLimit = 100_000
        // No heartbeat in between, and none that wakes all streams.
        configuration.heartbeat = .seconds(3_600)
        let api = SettingsAPI(store, groups: Measured.self, configuration: configuration)
        let router = Router()
        router.add(middleware: SettingsMiddleware(api))
        let bareRouter = bareRouter(answering: try await recordedAnswer(of: api))
        stream(BareEvents(lines(of: pipe)), at: "/events", of: bareRouter)
        stream(BareEvents(appendedLines(of: "\(pipe).lines")), at: "/file", of: bareRouter)
        let bare = application("bare", bareRouter)
        try await application("api", router, beside: [bare]).runService()
        try await store.close()
    }

    /// - Parameter services: What runs as long as the server does.
    private func application(
        _ name: String, _ router: Router<BasicRequestContext>, beside services: [any Service] = []
    ) -> some ApplicationProtocol {
        var logger = Logger(label: "panel-latency")
        logger.logLevel = .warning
        return Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0), serverName: nil),
            services: services,
            onServerRunning: { channel in
                print("\(name) \(channel.localAddress?.port ?? 0)")
                fflush(nil)
            }, logger: logger)
    }

    /// The API's answer to the request that is measured. The bare server sends the same status, fields and body.
    private func recordedAnswer(of api: SettingsAPI) async throws -> (headers: HTTPFields, body: ByteBuffer) {
        let answer = await api.respond(
            to: WebRequest(
                method: "GET", target: "/settings/number",
                headers: [("Host", "127.0.0.1"), ("Authorization", "Bearer \(Self.token)")]))
        guard answer.status == 200, case .bytes(let bytes) = answer.body else {
            throw RawConnection.Failure(description: "The API has answered with \(answer.status).")
        }
        var headers = HTTPFields()
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
        }
        return (headers, ByteBuffer(bytes: bytes))
    }

    private func bareRouter(
        answering answer: (headers: HTTPFields, body: ByteBuffer)
    ) -> Router<BasicRequestContext> {
        let router = Router()
        router.get("/answer") { _, _ in
            Response(status: .ok, headers: answer.headers, body: ResponseBody(byteBuffer: answer.body))
        }
        return router
    }

    /// Serves events as a stream of the server must: it ends when the client departs, and when the server stops. There is
    /// no task between the source of an event and the one that writes it.
    private func stream(_ events: BareEvents, at path: RouterPath, of router: Router<BasicRequestContext>) {
        router.get(path) { request, _ in
            let body = request.body
            return Response(
                status: .ok, headers: [.contentType: "text/event-stream"],
                body: ResponseBody { writer in
                    // Only this task uses it.
                    nonisolated(unsafe) var writer = writer
                    let (lines, end) = events.follow()
                    try await withGracefulShutdownHandler {
                        try await body.watch {
                            for await line in lines {
                                try await writer.write(ByteBuffer(string: "data: \(line)\n\n"))
                            }
                        } departure: {
                            end.finish()
                        }
                    } onGracefulShutdown: {
                        end.finish()
                    }
                    try await writer.finish(nil)
                })
        }
    }
}

extension RequestBody {
    /// Runs an operation, and calls a closure if the client departs meanwhile.
    fileprivate func watch(
        _ operation: @Sendable () async throws -> Void, departure: @escaping @Sendable () -> Void
    ) async throws {
        try await consumeWithInboundCloseHandler { _ in
            try await operation()
        } onInboundClosed: {
            departure()
        }
    }
}

/// Lines for any number of clients, each of which first gets the line `begin`.
final class BareEvents: Sendable {
    private let clients = Mutex<[AsyncStream<String>.Continuation]>([])

    init(_ lines: AsyncStream<String>) {
        Task { [weak self] in
            for await line in lines { self?.send(line) }
        }
    }

    func follow() -> (lines: AsyncStream<String>, end: AsyncStream<String>.Continuation) {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        continuation.yield("begin")
        clients.withLock { $0.append(continuation) }
        return (stream, continuation)
    }

    private func send(_ line: String) {
        for client in clients.withLock(\.self) { client.yield(line) }
    }
}
