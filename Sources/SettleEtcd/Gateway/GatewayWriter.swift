/// Writes JSON as etcd's gateway spells it, without building a tree of values first: 64-bit integers are strings, and
/// bytes are base64.
///
/// Fields are written in the order of their names, as `SettingValue.json()` does.
struct GatewayWriter {
    private(set) var bytes: [UInt8] = []

    /// Returns the JSON of an object.
    static func object(_ fields: (inout GatewayWriter) -> Void) -> [UInt8] {
        var writer = GatewayWriter()
        writer.bytes.reserveCapacity(1_024)
        writer.object(fields)
        return writer.bytes
    }

    mutating func object(_ fields: (inout GatewayWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "{"))
        fields(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    mutating func object(_ name: StaticString, _ fields: (inout GatewayWriter) -> Void) {
        begin(name)
        object(fields)
    }

    mutating func objects<Element>(
        _ name: StaticString, _ elements: [Element], _ write: (inout GatewayWriter, Element) -> Void
    ) {
        begin(name)
        bytes.append(UInt8(ascii: "["))
        for element in elements { write(&self, element) }
        bytes.append(UInt8(ascii: "]"))
    }

    mutating func field(_ name: StaticString, _ content: [UInt8]) {
        begin(name)
        bytes.append(UInt8(ascii: "\""))
        append(base64: content)
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func field(_ name: StaticString, _ number: Int64) {
        begin(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: number.description.utf8)
        bytes.append(UInt8(ascii: "\""))
    }

    /// - Parameter word: A string without characters that must be escaped.
    mutating func field(_ name: StaticString, word: StaticString) {
        begin(name)
        append(quoted: word)
    }

    /// Writes a true field. False fields are left out.
    mutating func flag(_ name: StaticString) {
        begin(name)
        append("true")
    }

    // MARK: Helpers

    private mutating func begin(_ name: StaticString) {
        separate()
        append(quoted: name)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func separate() {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }

    private mutating func append(quoted text: StaticString) {
        bytes.append(UInt8(ascii: "\""))
        append(text)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private mutating func append(base64 content: [UInt8]) {
        let digits = Self.digits
        bytes.reserveCapacity(bytes.count + (content.count + 2) / 3 * 4)
        for start in stride(from: 0, to: content.count, by: 3) {
            let count = min(3, content.count - start)
            var group = UInt32(content[start]) << 16
            if count > 1 { group |= UInt32(content[start + 1]) << 8 }
            if count > 2 { group |= UInt32(content[start + 2]) }
            for place in 0..<4 {
                let digit = digits[Int(group >> UInt32(18 - 6 * place) & 63)]
                bytes.append(place <= count ? digit : UInt8(ascii: "="))
            }
        }
    }
}
