/// A class with variables as the type of a setting's values: such a value can change without a write of the setting.
struct MutableClass {
    let type: any Any.Type
    let variables: [String]

    /// Finds the class in the type of a setting's values, or in the type that an optional or a collection contains;
    /// `nil` if there is none. The classes of a struct's properties are not searched.
    init?(in valueType: any Any.Type) {
        var type = valueType
        while let container = type as? any Container.Type { type = container.content }
        guard type is AnyClass else { return nil }
        self.type = type
        variables = StoredProperty.all(of: type).filter(\.isVariable).map(\.name)
        if variables.isEmpty { return nil }
    }
}
