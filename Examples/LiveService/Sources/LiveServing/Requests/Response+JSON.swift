import Hummingbird
import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Response {
    /// A JSON response, with a line break at its end for terminals.
    init(json object: SettingValue.Entries, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
        var headers = headers
        headers[.contentType] = "application/json; charset=utf-8"
        // The response describes the current state only.
        headers[.cacheControl] = "no-store"
        let body = ByteBuffer(string: SettingValue.dictionary(object).jsonText + "\n")
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
    }

    init(text: String) {
        self.init(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

extension SettingValue {
    /// The value as JSON on one line; `null` if JSON can't spell it, such as a number that is not finite.
    var jsonText: String {
        (try? json()).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
