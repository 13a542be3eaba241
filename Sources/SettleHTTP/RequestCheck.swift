import Settle
import Synchronization

/// Checks what every request must keep to, whatever its route.
struct RequestCheck: Sendable {
    private let configuration: SettingsAPI.Configuration

    init(_ configuration: SettingsAPI.Configuration) {
        self.configuration = configuration
    }

    /// The methods that HTTP has. Others are answered with 501.
    static let methods: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "TRACE", "CONNECT",
    ]

    func check(_ request: WebRequest) throws(Problem) {
        guard request.target.utf8.count <= configuration.targetSizeLimit else {
            throw Problem(.targetTooLong, "Path and query have at most \(configuration.targetSizeLimit) bytes.")
        }
        let headerSize = request.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard headerSize <= configuration.headerSizeLimit else {
            throw Problem(.headerTooLarge, "The header has at most \(configuration.headerSizeLimit) bytes.")
        }
        guard request.body.count <= configuration.bodySizeLimit else {
            throw Problem(
                .bodyTooLarge, "The body has at most \(configuration.bodySizeLimit) bytes. Nothing is written.")
        }
        try checkCodings(of: request)
        try configuration.hostCheck.check(request)
    }

    private func checkCodings(of request: WebRequest) throws(Problem) {
        // A coding is compared as a whole, and an empty one counts: another server may read the list differently.
        let codings = request.values(of: "transfer-encoding").flatMap { field in
            field.lowercased().split(separator: ",", omittingEmptySubsequences: false)
                .map { String($0.trimmed) }
        }
        // Without it, the end of the body is unknown (RFC 9112, section 6.3).
        guard codings.last?.hasSameBytes(as: "chunked") != false else {
            throw Problem(.invalidRequest, "The last transfer coding of a request is chunked.")
        }
        guard codings.count <= 1 else {
            throw Problem(.notImplemented, "The only transfer coding of a request is chunked.")
        }
        guard request.values(of: "content-encoding").allSatisfy({ $0.lowercased() == "identity" }) else {
            throw Problem(.unsupportedMediaType, "The body has no content coding.")
        }
        let lengths = request.values(of: "content-length")
        guard lengths.isEmpty || lengths.count == 1 && Int(lengths[0]).map({ $0 >= 0 }) == true else {
            throw Problem(.invalidRequest, "Content-Length is one number.")
        }
        // A value whose end was cut off on the way would be stored like that.
        if let length = lengths.first.flatMap({ Int($0) }), length > request.body.count, request.method != "HEAD" {
            throw Problem(
                .invalidRequest,
                "Only \(request.body.count) of the request's \(length) bytes arrived. Nothing is written.")
        }
    }

    /// Refuses a query with parameters that an operation does not have: a misspelt `dryRun` must not write.
    static func check(_ query: FormFields, of operation: Operation) throws(Problem) {
        var seen: Set<String> = []
        for (name, _) in query.fields where !(name.isEmpty && query.fields.count == 1) {
            guard operation.queryNames.contains(where: { $0.hasSameBytes(as: name) }) else {
                let names = operation.queryNames
                let advice =
                    names.isEmpty ? "This route has none." : "This route has \(names.joined(separator: ", "))."
                var problem = Problem(
                    .unknownParameter, "There is no parameter “\(name.prefix(40))”. \(advice) Nothing is written.")
                problem.members["parameter"] = .string(String(name.prefix(40)))
                throw problem
            }
            guard seen.insert(name).inserted else {
                throw Problem(.invalidRequest, "The parameter “\(name)” occurs more than once.")
            }
        }
    }

    /// Returns the text of the field `Idempotency-Key`, with or without quotation marks.
    static func idempotencyKey(of request: WebRequest) throws(Problem) -> String? {
        let fields = request.values(of: "idempotency-key")
        guard let field = fields.first else { return nil }
        var text = field[...]
        if text.count > 1, text.hasPrefix("\""), text.hasSuffix("\"") { text = text.dropFirst().dropLast() }
        guard fields.count == 1, (1...255).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\"") })
        else {
            throw Problem(.invalidRequest, "Idempotency-Key is a text of 1 to 255 ASCII characters without spaces.")
        }
        return String(text)
    }
}

/// The identifier of a request, which its log lines and its response have.
enum RequestID {
    /// Distinguishes the identifiers of this process from those of others.
    private static let process = UInt64.random(in: .min ... .max)
    private static let count = Atomic<UInt64>(0)

    /// Returns the identifier that the client or a proxy has given in `X-Request-ID`, if it is plain and not too long;
    /// else a new one.
    static func of(_ request: WebRequest) -> String {
        guard let given = request.value(of: "x-request-id"), (1...128).contains(given.utf8.count),
            given.utf8.allSatisfy({ isPlain($0) })
        else { return unused() }
        return given
    }

    /// Returns an identifier that no other request has. It is no secret, so it needs no system call for random bits.
    private static func unused() -> String {
        // An odd factor: so the products differ as long as the counts do, and neighbours don't look alike.
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue &* 0x9e37_79b9_7f4a_7c15
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        for half in [process, number] {
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: half >> shift)) }
        }
        return HexadecimalText.text(of: bytes)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
