import SettleHTTP
import SettlePanel
import Testing

/// A browser's connection to the stream of a page.
struct PanelEventReader {
    var pieces: WebEvents.Iterator
    /// The identifier of the last event, which a browser sends when it connects again.
    private(set) var lastID = ""

    init(_ response: WebResponse) throws {
        guard case .events(let events) = response.body else { throw NoStream() }
        pieces = events.makeAsyncIterator()
    }

    mutating func next() async throws -> String { try await next(until: "") }

    mutating func next(until text: String) async throws -> String {
        while let piece = await pieces.next() {
            let piece = String(decoding: piece, as: UTF8.self)
            for line in piece.split(separator: "\n") where line.hasPrefix("id: ") { lastID = String(line.dropFirst(4)) }
            if text.isEmpty || piece.contains(text) { return piece }
        }
        throw NoStream()
    }

    private struct NoStream: Error {}
}

extension PanelBrowser {
    /// Connects to the stream of a page.
    ///
    /// - Parameter id: The identifier of the last event of an earlier connection.
    func events(_ address: String, after id: String? = nil) async throws -> PanelEventReader {
        try PanelEventReader(await get(address, id.map { [("Last-Event-ID", $0)] } ?? []).response)
    }
}

extension PanelBrowser.Answer {
    /// The address of the stream that the page asks for.
    var eventsAddress: String {
        get throws {
            String(try #require(text.firstMatch(of: /data-events="([^"]+)"/)).1).replacing("&amp;", with: "&")
        }
    }
}

extension String {
    /// The keys of the forms in an event.
    var sentKeys: [String] { matches(of: /data-key=\\"([^"\\]+)\\"/).map { String($0.1) } }
}
