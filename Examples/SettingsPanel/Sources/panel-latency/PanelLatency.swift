import ArgumentParser
import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Settle
import SettlePanel
import SettlePanelHummingbird

/// The two sides of `checks/latency`: a server with a panel, and another process that changes a setting.
@main
struct PanelLatency: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "panel-latency", abstract: "The programs that checks/latency measures.",
        subcommands: [ServeBoth.self, Write.self])
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

/// Serves a panel, and beside it a bare event for each line of a pipe.
struct ServeBoth: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve")

    @Argument var file: String
    @Argument var pipe: String

    func run() async throws {
        let store = try await SettingsStore.open(at: URL(filePath: file))
        let pipe = pipe
        _ = try await store.group(Measured.self)
        let panel = SettingsPanel(
            store, groups: Measured.self, configuration: .init(title: "Latency", path: "/panel", access: .everyone))
        let router = Router()
        router.addSettingsPanel(panel)
        router.get("/bare") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/event-stream"],
                body: ResponseBody { writer in
                    for await line in lines(of: pipe).cancelOnGracefulShutdown() {
                        try await writer.write(ByteBuffer(string: "data: \(line)\n\n"))
                    }
                    try await writer.finish(nil)
                })
        }
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
}

/// Another program: for each line `page NUMBER` on standard input it sets the setting, and for `bare NUMBER` it writes to the
/// pipe.
struct Write: AsyncParsableCommand {
    @Argument var file: String
    @Argument var pipe: String

    func run() async throws {
        let store = try await SettingsStore.open(at: URL(filePath: file))
        let settings = try await store.group(Measured.self)
        guard let output = fopen(pipe, "w") else { throw ExitCode.failure }
        for await line in lines(of: "/dev/stdin") {
            let words = line.split(separator: " ")
            guard words.count == 2, let number = Int(words[1]) else { continue }
            if words[0] == "page" {
                settings.number = number
            } else {
                fputs("\(number)\n", output)
                fflush(output)
            }
        }
        try await store.close()
    }
}
