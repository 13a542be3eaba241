import Foundation
import Settle
import SettleInterchange

extension SettingValue {
    /// Returns the value that a setting of this shape can have, by the conversions of the defaults system: `"5"` as a
    /// number, 1 as true. `nil` if there is none.
    func converted(to shape: ValueShape) -> SettingValue? {
        switch shape.kind {
        case .bool: SettingCoercion.bool.convert(self).map { .bool($0) }
        case .integer: SettingCoercion.integer.convert(self).map { .integer(Int64($0)) }
        case .number: SettingCoercion.double.convert(self).map { .real($0) }
        case .string: SettingCoercion.string.convert(self).map { .string($0) }
        case .date: SettingCoercion.date.convert(self).map { .date($0) }
        case .data: SettingCoercion.data.convert(self).map { .data($0) }
        case .url: convertedToURL.map { .string($0.absoluteString) }
        case .array: elements(of: shape.element)
        case .dictionary: entries(of: shape.element)
        case .any: shape.cases?.first { $0 == converted(toKindOf: $0) }
        case .uuid, .duration: nil
        }
    }

    /// The kind of value, for a sentence that must not show the value.
    var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .integer: "a whole number"
        case .real, .number: "a number"
        case .string: "a string"
        case .date: "a date"
        case .data: "data"
        case .array: "an array"
        case .dictionary: "a dictionary"
        }
    }

    private func elements(of shape: ValueShape?) -> SettingValue? {
        guard case .array(let elements) = self, let shape else { return nil }
        let values = elements.compactMap { $0.converted(to: shape) }
        return values.count == elements.count ? .array(values) : nil
    }

    private func entries(of shape: ValueShape?) -> SettingValue? {
        guard case .dictionary(var entries) = self, let shape else { return nil }
        for (name, value) in entries {
            guard let value = value.converted(to: shape) else { return nil }
            entries[name] = value
        }
        return .dictionary(entries)
    }

    /// Converts a value for the cases of an enumeration.
    private func converted(toKindOf other: SettingValue) -> SettingValue? {
        switch other {
        case .string: SettingCoercion.string.convert(self).map { .string($0) }
        case .integer: SettingCoercion.integer.convert(self).map { .integer(Int64($0)) }
        default: nil
        }
    }
}
