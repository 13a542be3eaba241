import Settle

/// Checks the host name of a request, and of the page that sent it.
struct HostCheck: Sendable {
    /// The names by which the server is reached, without a port; `nil` for any.
    let hosts: [String]?

    /// - Throws: ``Problem`` for a field that HTTP does not allow, and for another name.
    func check(_ request: WebRequest) throws(Problem) {
        let fields = request.values(of: "host")
        guard fields.count <= 1, let name = fields.isEmpty ? "" : Self.name(in: fields[0]) else {
            throw Problem(.invalidRequest, "Host is one name or address, with or without a port.")
        }
        guard let hosts else { return }
        guard hosts.contains(where: { $0.lowercased().hasSameBytes(as: name.lowercased()) }) else {
            throw Problem(
                .wrongHost, "This API is not reached by that name. Use one of: \(hosts.joined(separator: ", ")).")
        }
    }

    /// Refuses a request that a page of another site has sent. A client that is not a browser sends neither field.
    func checkOrigin(of request: WebRequest) throws(Problem) {
        let site = request.value(of: "sec-fetch-site")
        guard site == nil || site == "same-origin" || site == "none" else { throw Self.foreignPage }
        guard let origin = request.value(of: "origin") else { return }
        let host = (request.value(of: "host") ?? "").lowercased()
        guard ["http://\(host)", "https://\(host)"].contains(origin.lowercased()) else { throw Self.foreignPage }
    }

    private static var foreignPage: Problem {
        Problem(.foreignPage, "This request comes from a page of another site.")
    }

    /// Returns the name in a field without its port; `nil` if it is not valid.
    private static func name(in field: String) -> String? {
        var name = field[...]
        if let colon = field.utf8.lastIndex(of: UInt8(ascii: ":")), field.utf8.last != UInt8(ascii: "]") {
            guard UInt16(field[field.utf8.index(after: colon)...]) != nil else { return nil }
            name = field[..<colon]
        }
        if name.utf8.first == UInt8(ascii: "[") {
            let isAddress = name.dropFirst().dropLast().utf8.allSatisfy { byte in
                HexadecimalText.value(of: byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
            }
            return name.hasSuffix("]") && isAddress ? String(name) : nil
        }
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        return isName && !name.isEmpty ? String(name) : nil
    }
}
