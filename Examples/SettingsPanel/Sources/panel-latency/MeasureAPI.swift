import ArgumentParser
import Foundation

/// Measures what the API adds to a bare answer, a bare event and a bare stream of the same server.
struct MeasureAPI: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api",
        abstract: "Rows R41 to R43: a setting over HTTP, a change until a stream has it, and the memory of streams.",
        discussion: "It starts the servers itself. Build it for release.")

    @Option(help: "How many requests of each kind are compared.")
    var requests = 20_000

    @Option(help: "How many changes are compared with bare events.")
    var changes = 1_000

    @Option(help: "How many streams are compared with bare ones, and with connections.")
    var streams = 10_000

    @Option(help: ArgumentHelp("The rows, separated by commas.", valueName: "rows"))
    var rows = "R41,R42,R43"

    func run() throws {
        let limit = DescriptorLimit.raise()
        let rows = rows.split(separator: ",")
        if rows.contains("R41") { try compareAnswers() }
        if rows.contains("R42") { try compareEvents() }
        if rows.contains("R43") {
            guard limit > streams + Self.firstConnections + 100 else {
                throw ValidationError("This process may open \(limit) files, too few for \(streams) connections.")
            }
            try compareMemory()
        }
    }

    private static func request(_ path: String, of port: Int) -> [UInt8] {
        let fields = "Host: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(ServeAPI.token)"
        return Array("GET \(path) HTTP/1.1\r\n\(fields)\r\n\r\n".utf8)
    }

    private static func withServer<Result>(_ body: (ServedAPI) throws -> Result) throws -> Result {
        let served = try ServedAPI()
        defer { served.end() }
        return try body(served)
    }

    /// Alternates between both; each of them is first every other time.
    ///
    /// - Parameter pause: How long both wait before each time, in seconds.
    /// - Returns: The times of both in microseconds, without those of the first twentieth.
    private static func alternate(
        _ count: Int, pause: TimeInterval = 0, _ one: (Int) throws -> Void, _ other: (Int) throws -> Void
    ) throws -> (one: [Double], other: [Double]) {
        func time(_ body: (Int) throws -> Void, _ number: Int) throws -> Double {
            if pause > 0 { Thread.sleep(forTimeInterval: pause) }
            return try ContinuousClock().measure { try body(number) } / .microseconds(1)
        }
        var (ones, others): ([Double], [Double]) = ([], [])
        for number in 1...max(20, count) {
            var times = (one: 0.0, other: 0.0)
            if number.isMultiple(of: 2) { times.one = try time(one, number) }
            times.other = try time(other, number)
            if !number.isMultiple(of: 2) { times.one = try time(one, number) }
            guard number > count / 20 else { continue }
            ones.append(times.one)
            others.append(times.other)
        }
        return (ones, others)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func report(
        _ row: String, _ title: String, _ times: (one: [Double], other: [Double]), goal: Double
    ) {
        let (one, other) = (median(times.one), median(times.other))
        print("\(row) \(title): \(rounded(one)) µs, bare \(rounded(other)) µs")
        print("\(row): \(rounded(one / other)) (goal ≤ \(goal))")
    }

    private static func rounded(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

    private func compareAnswers() throws {
        try Self.withServer { served in
            let (api, bare) = (try RawConnection(port: served.apiPort), try RawConnection(port: served.barePort))
            let read = Self.request("/settings/number", of: served.apiPort)
            let answer = Self.request("/answer", of: served.barePort)
            let answers = (api: try api.exchange(read), bare: try bare.exchange(answer))
            let size = answers.api.count
            guard size == answers.bare.count, Self.lasting(answers.api) == Self.lasting(answers.bare) else {
                let texts = [answers.api, answers.bare].map { String(decoding: $0, as: UTF8.self) }
                throw RawConnection.Failure(
                    description: "The answers differ:\n\n\(texts.joined(separator: "\n\n"))")
            }
            let times = try Self.alternate(requests) { _ in
                try api.exchange(read, for: size)
            } _: { _ in
                try bare.exchange(answer, for: size)
            }
            Self.report("R41", "GET of a setting, an answer of \(size) bytes", times, goal: 1.2)
        }
    }

    /// The lines of a response that are the same whenever it is sent.
    private static func lasting(_ response: [UInt8]) -> [Substring] {
        String(decoding: response, as: UTF8.self).split(separator: "\r\n").filter { line in
            !["date", "x-request-id"].contains(line.prefix { $0 != ":" }.lowercased())
        }
    }

    /// Opens a stream of the API, and waits for its first event.
    private static func settingsStream(of served: ServedAPI) throws -> RawConnection {
        try stream("/settings/changes", of: served.apiPort, from: "event: snapshot\n")
    }

    /// Opens a bare stream, and waits for its first event.
    private static func bareStream(_ path: String, of served: ServedAPI) throws -> RawConnection {
        try stream(path, of: served.barePort, from: "data: begin\n")
    }

    private static func stream(_ path: String, of port: Int, from beginning: String) throws -> RawConnection {
        let connection = try RawConnection(port: port)
        try connection.send(request(path, of: port))
        try connection.receive(until: Array(beginning.utf8))
        return connection
    }

    private func compareEvents() throws {
        try Self.withServer { served in
            let (api, bare) = (try Self.settingsStream(of: served), try Self.bareStream("/events", of: served))
            // Longer than a store's pause after an append, as in a program that writes from time to time.
            let pause = 0.005
            func bareEvent(_ number: Int) throws {
                try served.write("bare", number)
                try bare.receive(until: Array("data: \(number)\n".utf8))
            }
            func change(_ number: Int) throws {
                try served.write("page", number)
                try api.receive(until: Array("\"new\":\(number)".utf8))
            }
            let times = try Self.alternate(changes, pause: pause, change, bareEvent)
            Self.report("R42", "a change in another process until a stream has it", times, goal: 1.5)
            #if os(Linux)
                // How much of the bare event's lead is that of a pipe over a file that is watched.
                let file = try Self.bareStream("/file", of: served)
                func line(_ number: Int) throws {
                    try served.write("file", number)
                    try file.receive(until: Array("data: \(number)\n".utf8))
                }
                let lines = try Self.alternate(changes, pause: pause, line, bareEvent)
                let ratio = Self.median(times.one) / Self.median(lines.one)
                print("R42: \(Self.rounded(ratio)) to a bare event for a line in a watched file (no goal)")
            #endif
        }
    }

    private func compareMemory() throws {
        let connections = try memory { served in
            let connection = try RawConnection(port: served.barePort)
            _ = try connection.exchange(Self.request("/answer", of: served.barePort))
            return connection
        }
        let events = try memory { served in try Self.bareStream("/events", of: served) }
        let ours = try memory { served in try Self.settingsStream(of: served) }
        func difference(_ one: Double, _ other: Double) -> Int { Int((one - other).rounded()) }
        let texts = [ours, events, connections].map { "\(Int($0.rounded()))" }
        print("R43 \(streams) streams: \(texts[0]) bytes each; bare ones \(texts[1]), bare connections \(texts[2])")
        print("R43: \(difference(ours, events)) bytes above a bare stream (goal ≤ 4096)")
        // No API can take less than the server's own stream.
        print(
            "R43: \(difference(ours, connections)) bytes above a bare connection, of which a bare stream takes "
                + "\(difference(events, connections)) (no goal)")
    }

    /// How many connections are opened before the memory is measured: a server allocates some of it only once.
    private static let firstConnections = 200

    /// Opens connections to a server of its own.
    ///
    /// - Returns: By how many bytes the server's memory has grown for each.
    private func memory(_ open: (ServedAPI) throws -> RawConnection) throws -> Double {
        try Self.withServer { served in
            let first = try (0..<Self.firstConnections).map { _ in try open(served) }
            let before = try served.residentMemory()
            let connections = try (0..<streams).map { _ in try open(served) }
            let after = try served.residentMemory()
            return withExtendedLifetime((first, connections)) { Double(after - before) / Double(streams) }
        }
    }
}
