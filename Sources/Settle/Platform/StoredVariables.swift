/// The names of a struct's or a class's stored properties that are declared with `var`, those of its superclasses first.
///
/// `Mirror` does not distinguish `var` from `let`, so this asks the runtime as the standard library itself does. A
/// `lazy` property and that of a property wrapper have the names under which they are stored.
///
/// - Parameter type: A struct or a class; the runtime has no answer for other types.
func storedVariables(of type: any Any.Type) -> [String] {
    (0..<storedPropertyCount(of: type)).compactMap { index in
        var property = StoredProperty()
        _ = describeStoredProperty(of: type, at: index, into: &property)
        defer { property.freeName?(property.name) }
        guard property.isVariable, let name = property.name else { return nil }
        return String(cString: name)
    }
}

/// What the runtime writes about a stored property: the layout of the standard library's `_FieldReflectionMetadata`,
/// which is part of its stable ABI.
private struct StoredProperty {
    var name: UnsafePointer<CChar>?
    var freeName: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
    var isStrong = false
    var isVariable = false
}

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func storedPropertyCount(of type: any Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func describeStoredProperty(
    of type: any Any.Type, at index: Int, into property: UnsafeMutablePointer<StoredProperty>
) -> any Any.Type
