/// The position of an element in an unkeyed container.
struct PositionKey: CodingKey {
    let position: Int

    init(_ position: Int) { self.position = position }

    init?(intValue: Int) { self.init(intValue) }

    init?(stringValue: String) { nil }

    var intValue: Int? { position }
    var stringValue: String { String(position) }
}

/// The key under which a class stores what its superclass encodes.
struct SuperKey: CodingKey {
    static let text = "super"

    init() {}

    init?(stringValue: String) {
        guard stringValue == Self.text else { return nil }
    }

    init?(intValue: Int) { nil }

    var stringValue: String { Self.text }
    var intValue: Int? { nil }
}
