import Settle

/// One step of the app, as the list of migrations has it and as the model makes it.
struct ShippedStep: Sendable {
    enum Kind: Sendable {
        case rename(String, to: String)
        case move(String, to: String)
        case remove(String)
        /// A number becomes text.
        case write(String)
        /// Text becomes a number.
        case read(String)
        /// A number grows, by way of a type that has another name in some versions of the app.
        case add(String, Int)
        /// A number goes to two keys, to the second as text.
        case split(String, into: String, text: String)
        /// The sum of the numbers; none if it can be divided by five.
        case merge([String], to: String)
        /// A closure that keeps a number below a limit, and copies a value to a key that has none.
        case limit(String, Int, copy: String)
    }

    let id: Int
    let kind: Kind
    /// `nil` for the default name.
    var givenName: String?

    /// The name that is documented as the default one.
    var name: String { givenName ?? defaultName }

    /// As versions of the library recorded it that put types into the name; `nil` if it never had any.
    var oldSpelling: String? {
        guard givenName == nil else { return nil }
        return switch kind {
        case .write(let key): "convert \(key) from Int to String"
        case .read(let key): "convert \(key) from String to Int"
        case .add(let key, _): "convert \(key) from Celsius to Array<Kelvin>"
        default: nil
        }
    }

    private var defaultName: String {
        switch kind {
        case .rename(let key, let new): "rename \(key) to \(new)"
        case .move(let path, let new): "move \(path) to \(new)"
        case .remove(let key): "remove \(key)"
        case .write(let key), .read(let key), .add(let key, _): "convert \(key)"
        case .split(let key, _, _): "split \(key)"
        case .merge(let keys, let new): "merge \(keys.joined(separator: ", ")) to \(new)"
        case .limit(let key, _, _): "limit \(key)"
        }
    }
}

/// The same values under two names of their type.
private protocol Degrees: RawRepresentable, Codable, Sendable where RawValue == Int {
    init(rawValue: Int)
}

private struct Celsius: Degrees { var rawValue: Int }
private struct Temperature: Degrees { var rawValue: Int }

private struct NoNumber: Error {}

// MARK: As the app lists it

extension ShippedStep {
    /// - Parameter isRenamed: Whether the app's types have other names in this version.
    func migration(isRenamed: Bool) -> SettingsMigration {
        switch kind {
        case .rename(let key, let new): .rename(SettingKey(stored: key), to: SettingKey(stored: new), name: givenName)
        case .move(let path, let new): .move(SettingKey(stored: path), to: SettingKey(stored: new), name: givenName)
        case .remove(let key): .remove(SettingKey(stored: key), name: givenName)
        case .write(let key):
            .convert(SettingKey(stored: key), from: Int.self, to: String.self, name: givenName) { "\($0)" }
        case .read(let key):
            .convert(SettingKey(stored: key), from: String.self, to: Int.self, name: givenName, Self.number)
        case .add(let key, let sum):
            isRenamed ? adding(sum, to: key, as: Temperature.self) : adding(sum, to: key, as: Celsius.self)
        case .split(let key, let part, let text):
            .split(SettingKey(stored: key), from: Int.self, name: givenName) { number in
                var parts: [SettingKey: any Codable & Sendable] = [SettingKey(stored: part): number + 1]
                parts[SettingKey(stored: text)] = "\(number)"
                return parts
            }
        case .merge(let keys, let new):
            .merge(keys.map { SettingKey(stored: $0) }, to: SettingKey(stored: new), name: givenName) { tree in
                let sum = try keys.reduce(0) { try $0 + (tree.value(Int.self, forKey: SettingKey(stored: $1)) ?? 0) }
                return sum % 5 == 0 ? nil : sum
            }
        case .limit(let key, let most, let copy):
            SettingsMigration(name) { tree in
                guard let value = try tree.value(Int.self, forKey: SettingKey(stored: key)) else { return }
                if value > most { try tree.setValue(most, forKey: SettingKey(stored: key)) }
                // The subscript takes the path.
                let key = SettingKey(stored: copy)
                if try tree.value(Int.self, forKey: key) == nil { tree[key] = .integer(0) }
            }
        }
    }

    private static let number: @Sendable (String) throws -> Int = { text in
        guard let number = Int(text) else { throw NoNumber() }
        return number
    }

    private func adding<Type: Degrees>(_ sum: Int, to key: String, as type: Type.Type) -> SettingsMigration {
        .convert(SettingKey(stored: key), from: type, to: type, name: givenName) { Type(rawValue: $0.rawValue + sum) }
    }
}

// MARK: As the model makes it

extension ShippedStep {
    struct Failure: Error, Equatable {
        let name: String
        let key: String
    }

    func make(_ values: inout [String: ShippedValue]) throws(Failure) {
        switch kind {
        case .rename(let key, let new):
            if let value = values.removeValue(forKey: key) { Self.add(value, at: new, &values) }
        case .move(let path, let new):
            let inner = values.filter { ShippedFile.isWithin(path, $0.key) }
            for key in inner.keys { values[key] = nil }
            for (key, value) in inner { Self.add(value, at: new + key.dropFirst(path.count), &values) }
        case .remove(let path): values = values.filter { !ShippedFile.isWithin(path, $0.key) }
        case .write(let key): if let number = try number(values, key) { values[key] = .text("\(number)") }
        case .read(let key):
            guard let value = values[key] else { return }
            guard case .text(let text) = value, let number = Int(text) else { throw Failure(name: name, key: key) }
            values[key] = .number(number)
        case .add(let key, let sum): if let number = try number(values, key) { values[key] = .number(number + sum) }
        case .split(let key, let part, let text):
            guard let number = try number(values, key) else { return }
            values[key] = nil
            values[part] = .number(number + 1)
            values[text] = .text("\(number)")
        case .merge(let keys, let new):
            guard keys.contains(where: { values[$0] != nil }) else { return }
            var sum = 0
            for key in keys { sum += try number(values, key) ?? 0 }
            for key in keys { values[key] = nil }
            if sum % 5 != 0 { values[new] = .number(sum) }
        case .limit(let key, let most, let copy):
            guard let number = try number(values, key) else { return }
            values[key] = .number(min(number, most))
            if try self.number(values, copy) == nil { values[copy] = .number(0) }
        }
    }

    private static func add(_ value: ShippedValue, at key: String, _ values: inout [String: ShippedValue]) {
        if values[key] == nil { values[key] = value }
    }

    private func number(_ values: [String: ShippedValue], _ key: String) throws(Failure) -> Int? {
        switch values[key] {
        case nil: nil
        case .number(let number): number
        case .text: throw Failure(name: name, key: key)
        }
    }
}
