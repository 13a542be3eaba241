import Foundation
import Settle

/// Values as objects of Foundation's property lists.
extension SettingValue {
    /// Creates a value from an object; `nil` if a property list can't represent it.
    init?(object: Any) {
        if let number = SettingValue(number: object) {
            self = number
            return
        }
        switch object {
        case let text as String: self = .string(text)
        case let text as NSString: self = .string(String(describing: text))
        case let date as Date: self = .date(date)
        case let date as NSDate: self = .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate))
        case let data as Data: self = .data(data)
        case let data as NSData: self = .data(Data(referencing: data))
        case let elements as [Any]: self.init(elements: elements)
        case let elements as NSArray: self.init(elements: elements.map { $0 })
        case let entries as [AnyHashable: Any]: self.init(entries: entries.map { ($0.base, $1) })
        case let entries as NSDictionary: self.init(entries: entries.map { ($0, $1) })
        default: return nil
        }
    }

    private init?(elements: [Any]) {
        let values = elements.compactMap { SettingValue(object: $0) }
        guard values.count == elements.count else { return nil }
        self = .array(values)
    }

    private init?(entries: [(key: Any, value: Any)]) {
        var values = Entries(minimumCapacity: entries.count)
        for (key, value) in entries {
            guard let name = key as? String ?? (key as? NSString).map(String.init(describing:)),
                let value = SettingValue(object: value)
            else { return nil }
            values[name] = value
        }
        self = .dictionary(values)
    }

    /// Returns the entries of a domain, without those that a property list can't represent.
    static func entries(_ domain: [String: Any]) -> (entries: Entries, refused: [String]) {
        var entries = Entries(minimumCapacity: domain.count)
        var refused: [String] = []
        for (name, object) in domain {
            if let value = SettingValue(object: object) { entries[name] = value } else { refused.append(name) }
        }
        return (entries, refused.sorted())
    }

    /// The value as `UserDefaults` returns it.
    var object: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): Self.number(value, NSNumber(value: value))
        case .integer(let value): Self.number(Int(value), NSNumber(value: value))
        case .real(let value): Self.number(value, NSNumber(value: value))
        case .string(let text): text
        case .date(let date): date
        case .data(let data): data
        case .array(let elements): elements.map(\.object)
        case .dictionary(let entries): entries.objects
        case .number(let literal): Self.number(literal)
        }
    }
}

extension SettingValue.Entries {
    /// The entries as `UserDefaults` returns them. Of two names that are equal as `String`s, one is left.
    var objects: [String: Any] {
        Dictionary(map { ($0.key, $0.value.object) }, uniquingKeysWith: { first, _ in first })
    }
}

// MARK: Numbers

extension SettingValue {
    private init?(number object: Any) {
        guard let number = object as? NSNumber else {
            // On Linux, Foundation does not treat it as a number.
            guard let value = object as? CGFloat else { return nil }
            self.init(Double(value))
            return
        }
        // The only objects that represent Boolean values. Any other 1 could be cast to one, too.
        if number === NSNumber(value: true) || number === NSNumber(value: false) {
            self = .bool(number.boolValue)
            return
        }
        let type = number is NSDecimalNumber ? nil : Character(Unicode.Scalar(UInt8(number.objCType.pointee)))
        switch type {
        case "f": self.init(number.floatValue)
        case "d": self.init(number.doubleValue)
        default:
            let literal = number.stringValue
            self = (try? SettingValue(json: Data(literal.utf8))) ?? .real(number.doubleValue)
        }
    }

    private init(_ value: some Codable & Sendable & BinaryFloatingPoint) {
        // Encoding never throws for numbers.
        self = (try? SettingCodec.standard.encode(value)) ?? .real(Double(value))
    }

    private static func number(_ literal: String) -> Any {
        if let value = UInt64(literal) { return number(value, NSNumber(value: value)) }
        return Double(literal).map { number($0, NSNumber(value: $0)) } ?? literal
    }

    /// Returns a number. Where numbers are objects, code casts them to whichever type it needs.
    private static func number(_ value: some Any, _ object: @autoclosure () -> NSNumber) -> Any {
        #if canImport(ObjectiveC)
            object()
        #else
            value
        #endif
    }
}
