import ArgumentParser
import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Settle
import SettlePanel
import SettlePanelHummingbird

/// The two sides of `checks/latency`, a server with a panel and another process that changes a setting; and the rows
/// R41 to R43, which need no browser.
@main
struct PanelLatency: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "panel-latency", abstract: "Measures what settings add to a bare server.",
        subcommands: [ServeBoth.self, Write.self, ServeAPI.self, MeasureAPI.self])
}

struct Measured: SettingsGroup {
    @Setting(title: "Number") var number = 0
}

/// The lines of a file, such as a pipe, until it ends.
func lines(of path: String) -> AsyncStream<String> {
    AsyncStream { continuation in
        Thread.detachNewThread {
            guard let file = fopen(path, "r") else { return continuation.finish() }
            var line = [CChar](repeating: 0, count: 256)
            while fgets(&line, CInt(line.count), file) != nil {
                let bytes = line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
                continuation.yield(String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines))
            }
            fclose(file)
            continuation.finish()
        }
    }
}

/// The lines that are appended to a file, as the operating system reports them: what takes the way through a file at
/// least.
func appendedLines(of path: String) -> AsyncStream<String> {
    AsyncStream { continuation in
        #if os(Linux)
            Thread.detachNewThread {
                let watch = inotify_init1(0)
                let file = open(path, O_RDONLY | O_CREAT, 0o600)
                guard inotify_add_watch(watch, path, UInt32(IN_MODIFY)) >= 0 else { return continuation.finish() }
                var bytes = [UInt8](repeating: 0, count: 4096)
                while read(watch, &bytes, bytes.count) > 0 {
                    let count = read(file, &bytes, bytes.count)
                    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
                    for line in text.split(separator: "\n") { continuation.yield(String(line)) }
                }
            }
        #else
            continuation.finish()
        #endif
    }
}

/// Serves a panel, and beside it a bare event for each line of a pipe, and for each line that is appended to a file.
struct ServeBoth: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve")

    @Argument var file: String
    @Argument var pipe: String

    func run() async throws {
        let store = try await SettingsStore.open(at: URL(filePath: file))
        _ = try await store.group(Measured.self)
        let panel = SettingsPanel(
            store, groups: Measured.self, configuration: .init(title: "Latency", path: "/panel", access: .everyone))
        let router = Router()
        router.addSettings(panel)
        serve(router, "/bare") { [pipe] in lines(of: pipe) }
        serve(router, "/file") { [pipe] in appendedLines(of: "\(pipe).lines") }
        var logger = Logger(label: "panel-latency")
        logger.logLevel = .warning
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0), serverName: nil),
            onServerRunning: { channel in
                print("http://127.0.0.1:\(channel.localAddress?.port ?? 0)/panel/")
                fflush(nil)
            }, logger: logger)
        try await application.runService()
    }

    private func serve(
        _ router: Router<BasicRequestContext>, _ path: RouterPath,
        _ lines: @escaping @Sendable () -> AsyncStream<String>
    ) {
        router.get(path) { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/event-stream"],
                body: ResponseBody { writer in
                    for await line in lines().cancelOnGracefulShutdown() {
                        try await writer.write(ByteBuffer(string: "data: \(line)\n\n"))
                    }
                    try await writer.finish(nil)
                })
        }
    }
}

/// Another program: for each line `page NUMBER` on standard input it sets the setting, for `bare NUMBER` it writes to
/// the pipe, and for `file NUMBER` it appends to the file.
struct Write: AsyncParsableCommand {
    @Argument var file: String
    @Argument var pipe: String

    func run() async throws {
        let store = try await SettingsStore.open(at: URL(filePath: file))
        let settings = try await store.group(Measured.self)
        guard let output = fopen(pipe, "w"), let file = fopen("\(pipe).lines", "a") else { throw ExitCode.failure }
        for await line in lines(of: "/dev/stdin") {
            let words = line.split(separator: " ")
            guard words.count == 2, let number = Int(words[1]) else { continue }
            switch words[0] {
            case "page": settings.number = number
            case "file":
                fputs("\(number)\n", file)
                fflush(file)
            default:
                fputs("\(number)\n", output)
                fflush(output)
            }
        }
        try await store.close()
    }
}
