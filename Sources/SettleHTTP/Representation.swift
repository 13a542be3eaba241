import Settle

/// A JSON body with its entity tag.
struct Representation: Sendable {
    private let bytes: [UInt8]
    private let tag: EntityTag
    private let field: String

    /// - Parameter token: The token that the values are not older than.
    init(_ entries: SettingValue.Entries, _ token: ChangeToken?) {
        bytes = SettingValue.dictionary(entries).jsonLine
        tag = EntityTag(token, of: bytes)
        field = tag.field
    }

    /// The number of its bytes.
    var size: Int { bytes.count }

    /// Returns the response to a request, which is 304 if the client has the representation already.
    ///
    /// - Parameter isQuery: Whether the request only reads, whatever its method.
    func response(to call: APICall, isQuery: Bool = false) throws(Problem) -> WebResponse {
        let isRead = isQuery || call.request.method == "GET" || call.request.method == "HEAD"
        let fields = isRead ? call.request.values(of: "if-none-match") : []
        let freshness = try Freshness(ifNoneMatch: fields.isEmpty ? nil : fields.joined(separator: ","))
        var headers: [(name: String, value: String)] = []
        // Room for those of every response, too.
        headers.reserveCapacity(6)
        let isKnown = freshness.includes(tag)
        if !isKnown { headers.append(("Content-Type", WebResponse.jsonMediaType)) }
        headers.append(("ETag", field))
        headers.append(("Cache-Control", "private, no-cache"))
        return isKnown ? WebResponse(304, headers) : WebResponse(200, headers, .bytes(bytes))
    }
}
