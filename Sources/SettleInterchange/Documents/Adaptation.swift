import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Converts a value to one that a format can hold, and lists the losses.
struct Adaptation {
    private let format: DocumentConversion.Format
    /// Whether integers may be as large as this library reads them, rather than only as large as other programs do.
    private let isExact: Bool
    private(set) var losses: [DocumentConversion.Loss] = []

    init(to format: DocumentConversion.Format, isExact: Bool = false) {
        self.format = format
        self.isExact = isExact
    }

    /// A value being adapted, with the names around it.
    private struct Place {
        var parents: [String] = []
        var name: String?

        /// The names around the value's contents.
        var path: [String] { parents + (name.map { [$0] } ?? []) }
    }

    /// - Throws: `FormatError` if the value nests too deeply. Everything else is a loss.
    mutating func adapt(_ value: SettingValue) throws(FormatError) -> SettingValue {
        try adapt(value, Place(), depth: 0) ?? .string("")
    }

    /// - Returns: `nil` for null in a format without it.
    private mutating func adapt(
        _ value: SettingValue, _ place: Place, depth: Int
    ) throws(FormatError) -> SettingValue? {
        switch value {
        case .null: return adaptNull(place)
        case .bool(let bool): return adaptType(value, text: bool ? "1" : "0", place)
        case .integer(let integer): return adaptType(value, text: integer.description, place)
        case .real(let real): return adapt(real, place)
        case .number(let literal): return adapt(number: literal, place)
        case .string: return value
        case .date(let date): return adapt(date, place)
        case .data(let data):
            guard format == .json else { return value }
            lose(.data, place, "JSON has no data.", "Data have become a text in base64.")
            return .string(data.base64EncodedString())
        case .array(let elements):
            let path = try path(of: place, depth)
            var adapted: [SettingValue] = []
            adapted.reserveCapacity(elements.count)
            for (position, element) in elements.enumerated() {
                let inner = Place(parents: path, name: String(position))
                adapted.append(try adapt(element, inner, depth: depth + 1) ?? .string(""))
            }
            return .array(adapted)
        case .dictionary(let entries):
            let path = try path(of: place, depth)
            var adapted = SettingValue.Entries(minimumCapacity: entries.count)
            for (key, entry) in entries.sortedByKey() {
                let inner = Place(parents: path, name: key)
                guard let value = try adapt(entry, inner, depth: depth + 1) else { continue }
                adapted.updateValue(value, forKey: key)
            }
            return .dictionary(adapted)
        }
    }

    private func path(of place: Place, _ depth: Int) throws(FormatError) -> [String] {
        guard depth < SettingValue.depthLimit else {
            throw FormatError(.limit, at: .key(""), SettingValue.depthReason)
        }
        return place.path
    }

    private mutating func lose(
        _ kind: DocumentConversion.Loss.Kind, _ place: Place, _ obstacle: String, _ reason: String
    ) {
        losses.append(
            DocumentConversion.Loss(
                kind, parents: place.parents, name: place.name, obstacle: obstacle, reason: reason))
    }
}

extension Adaptation {
    private mutating func adaptNull(_ place: Place) -> SettingValue? {
        guard format != .json else { return .null }
        lose(
            .null, place, "A property list has no null.",
            "Null has been left out, or has become an empty text in an array.")
        return nil
    }

    /// Adapts a value that is a string in the old text form.
    private mutating func adaptType(_ value: SettingValue, text: String, _ place: Place) -> SettingValue {
        guard format == .propertyList(.oldText) else { return value }
        lose(.type, place, "The old text form has only text and data.", "The value has become a text.")
        return .string(text)
    }

    private mutating func adapt(_ real: Double, _ place: Place) -> SettingValue {
        switch format {
        case .json:
            guard !real.isFinite else { return .real(real) }
            lose(.notFinite, place, "JSON has only finite numbers.", "A number that is not finite has become a text.")
            return .string(real.isNaN ? "nan" : real < 0 ? "-infinity" : "infinity")
        case .propertyList(.xml):
            guard real.isNaN, real.bitPattern != Double.nan.bitPattern else { return .real(real) }
            lose(.nanBits, place, "XML has only one NaN.", "One NaN has become another.")
            return .real(.nan)
        case .propertyList(.binary): return .real(real)
        case .propertyList(.oldText): return adaptType(.real(real), text: real.description, place)
        }
    }

    private mutating func adapt(number literal: String, _ place: Place) -> SettingValue {
        switch SettingValue(numberLiteral: literal) {
        case .number(let literal)?: return adapt(largeNumber: literal, place)
        case .real(let real)?: return adapt(real, place)
        case let integer?: return adaptType(integer, text: literal, place)
        case nil:
            lose(.number, place, "This is not a number.", "A value that is not a number has become a text.")
            return .string(literal)
        }
    }

    /// Adapts a number that neither an integer nor a real can hold.
    private mutating func adapt(largeNumber literal: String, _ place: Place) -> SettingValue {
        guard case .propertyList(let form) = format else { return .number(literal) }
        guard form != .oldText else { return adaptType(.number(literal), text: literal, place) }
        guard literal.utf8.contains(where: { ".eE".utf8.contains($0) }) else {
            if isExact ? form == .xml || Int128(literal) != nil : UInt64(literal) != nil { return .number(literal) }
            lose(
                .largeInteger, place, "A property list has no integers of this size.",
                "A whole number that needs more than 64 bits has become a text.")
            return .string(literal)
        }
        guard let nearest = Double(literal), nearest.isFinite else {
            lose(
                .number, place, "A property list has no numbers of this size.",
                "A number that is too large for a real has become a text.")
            return .string(literal)
        }
        lose(
            .digits, place, "A property list does not hold all digits of this number.",
            "The last digits of a number are lost.")
        return .real(nearest)
    }

    private mutating func adapt(_ date: Date, _ place: Place) -> SettingValue {
        switch format {
        case .json: return text(of: date, place, "JSON has no dates.")
        case .propertyList(.xml):
            guard let whole = DateConversion.wholeSeconds(of: date) else {
                return text(of: date, place, "XML has only dates of the years 0 to 9999.")
            }
            if whole != date {
                lose(
                    .fractionOfSecond, place, "XML has only dates in whole seconds.",
                    "A date has lost its fraction of a second.")
            }
            return .date(whole)
        case .propertyList(.binary):
            guard !date.timeIntervalSinceReferenceDate.isFinite else { return .date(date) }
            return text(of: date, place, "A date must be finite.")
        case .propertyList(.oldText): return adaptType(.date(date), text: DateConversion.text(of: date), place)
        }
    }

    private mutating func text(of date: Date, _ place: Place, _ obstacle: String) -> SettingValue {
        lose(.date, place, obstacle, "A date has become a text.")
        return .string(DateConversion.text(of: date))
    }
}
