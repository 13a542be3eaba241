/// A setting itself, rather than its value: the type of `$name`.
///
/// It is an async sequence of the setting's values, the current one first and then the newest one after each change:
///
/// ```swift
/// for await count in settings.$attemptCount { … }
/// ```
///
/// The properties of the value are its parts, which can be followed and written separately, such as `$frame.width`; see
/// ``SettingPart``.
public struct SettingReference<Value: Sendable>: Sendable {
    @usableFromInline let box: SettingBox<Value>
    /// Keeps open the store that opened the group.
    @usableFromInline let keeper: Keeper?

    @usableFromInline
    init(box: SettingBox<Value>, keeper: Keeper?) {
        self.box = box
        self.keeper = keeper
    }

    /// The value, without being tracked by Observation. Assignments and changes in place work as on the property.
    @inlinable
    public var value: Value {
        get {
            box.value
        }
        nonmutating set {
            box.assign(newValue)
            withExtendedLifetime(keeper) {}
        }
        nonmutating _modify {
            let change = box.beginModifying()
            var value = box.valueToModify
            defer {
                box.endModifying(value, change)
                withExtendedLifetime(keeper) {}
            }
            yield &value
        }
    }

    /// The full key, such as `passcode.attemptCount`. For a setting whose group was never opened or used as a whole, it
    /// is the key of its declaration, or an empty string.
    public var key: String { placement.slot.key.description }

    /// The value of the setting while none is stored.
    public var defaultValue: Value { box.resolved.defaultValue }

    /// Whether no domain has a value, so that the default is used. Writing a value that equals the default is not a
    /// change, so it does not make this false.
    public var isDefault: Bool { domains.current == .declaration }

    /// The setting, for code that may only read and follow it.
    public var readOnly: ReadOnlySetting<Value> { ReadOnlySetting(PathSource(base: self, path: .whole)) }

    var placement: Placement { box.placement }
}

extension SettingReference: Hashable {
    /// Whether both are the same setting.
    public static func == (left: SettingReference, right: SettingReference) -> Bool {
        left.box.resolved === right.box.resolved
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(box.resolved))
    }
}
