/// A stored property of a struct or a class, as the runtime describes it.
///
/// `Mirror` provides neither offsets nor whether a property is declared with `var` or `let`, so this asks the runtime,
/// as the standard library itself does. A `lazy` property and that of a property wrapper have the names under which
/// they are stored.
struct StoredProperty: @unchecked Sendable {
    // Sendable: constants, and a type has no state.

    let name: String
    /// As declared; a value may be of a more specific one.
    let type: any Any.Type
    /// In bytes, from the beginning of the value or of the object.
    let offset: Int
    let isVariable: Bool
    /// False for a `weak` or `unowned` one, whose memory is not a value of its type.
    let isStrong: Bool

    /// The properties in the order of declaration, those of superclasses first.
    ///
    /// - Parameter type: A struct or a class; the runtime has no answer for other types.
    static func all(of type: any Any.Type) -> [StoredProperty] {
        (0..<storedPropertyCount(of: type)).compactMap { index in
            var description = PropertyDescription()
            let propertyType = describeStoredProperty(of: type, at: index, into: &description)
            defer { description.freeName?(description.name) }
            guard let name = description.name else { return nil }
            return StoredProperty(
                name: String(cString: name), type: propertyType, offset: storedPropertyOffset(of: type, at: index),
                isVariable: description.isVariable, isStrong: description.isStrong)
        }
    }
}

/// Returns whether copying a value copies its bytes and does nothing else.
func isPlainMemory(_ type: any Any.Type) -> Bool {
    func isPOD<Value>(_: Value.Type) -> Bool { _isPOD(Value.self) }
    return isPOD(type)
}

/// Whether a type is a struct.
func isStruct(_ type: any Any.Type) -> Bool { kind(of: type) == 0x200 }

/// Whether a type is an enum other than `Optional`.
func isEnum(_ type: any Any.Type) -> Bool { kind(of: type) == 0x201 }

/// Returns the kind of a type: the first word of its metadata, which is part of the stable ABI. For a class that word
/// is not a kind, and larger.
private func kind(of type: any Any.Type) -> UInt {
    // Proof: the metatype of any type is the address of its metadata.
    unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee
}

/// The runtime's description of a stored property: the layout of the standard library's `_FieldReflectionMetadata`,
/// which is part of its stable ABI.
private struct PropertyDescription {
    var name: UnsafePointer<CChar>?
    var freeName: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
    var isStrong = false
    var isVariable = false
}

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func storedPropertyCount(of type: any Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func describeStoredProperty(
    of type: any Any.Type, at index: Int, into property: UnsafeMutablePointer<PropertyDescription>
) -> any Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func storedPropertyOffset(of type: any Any.Type, at index: Int) -> Int
