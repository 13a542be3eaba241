/// A type whose values may contain values of another type, such as groups.
protocol Container {
    static var content: any Any.Type { get }
    static var isCollection: Bool { get }
}

extension Optional: Container {
    static var content: any Any.Type { Wrapped.self }
    static var isCollection: Bool { false }
}

extension Array: Container {
    static var content: any Any.Type { Element.self }
    static var isCollection: Bool { true }
}

extension Set: Container {
    static var content: any Any.Type { Element.self }
    static var isCollection: Bool { true }
}

extension Dictionary: Container {
    static var content: any Any.Type { Value.self }
    static var isCollection: Bool { true }
}
