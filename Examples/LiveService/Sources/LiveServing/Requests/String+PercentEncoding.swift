extension String {
    /// The text that is spelled in percent encoding here; `nil` if that is not UTF-8.
    var percentDecoded: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexDigit, let low = rest.popFirst()?.hexDigit else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    /// The value of an ASCII digit.
    fileprivate var hexDigit: UInt8? {
        UInt8(String(UnicodeScalar(self)), radix: 16)
    }
}
