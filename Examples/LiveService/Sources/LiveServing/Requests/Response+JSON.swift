import Hummingbird
import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Response {
    /// An answer in JSON, with a line end so that terminals show it well.
    init(json object: SettingValue.Entries, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
        var headers = headers
        headers[.contentType] = "application/json; charset=utf-8"
        // What the service tells holds for the moment.
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
    /// The value as JSON in one line; `null` for one that JSON can't spell, such as a number that is not finite.
    var jsonText: String {
        (try? json()).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
