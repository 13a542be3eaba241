/// A setting: a property of a ``SettingsGroup`` whose mutations are atomic, published and saved.
///
/// ```swift
/// struct PasscodeSettings: SettingsGroup {
///     @Setting var isPasscodeEnabled = false
///     @Setting(in: 0...20) var attemptCount = 0
///     @Setting("nextCheck") var nextCheckDate: Date?
/// }
/// ```
///
/// Reading never waits for a writer and is tracked by Observation. `attemptCount += 1` and other changes in place are
/// atomic. `$attemptCount` is a ``SettingReference``: an async sequence of values with the setting's other operations.
///
/// A change in place must not suspend: a setting can't be passed `inout` to an `async` function. Copy the value, and
/// assign the result. If a change suspends nevertheless, the program ends with a message that says so: when the change
/// resumes on another thread, or when its own thread gets to examine it, which it does once other writers wait. Code
/// that runs within a change may write other settings, even in a `Task.immediate` or from a run loop. A task on the
/// thread of a suspended change looks the same, so it may write too until the change is detected.
///
/// The value may be of any `Codable & Sendable` type. The key in the storage is the property's name unless the
/// declaration gives one; keys with dots nest.
@propertyWrapper
public struct Setting<Value: Sendable>: Sendable {
    @usableFromInline let box: SettingBox<Value>
    /// Keeps open the store that opened the group.
    @usableFromInline let keeper: Keeper?

    init(_ definition: SettingDefinition<Value>) {
        box = SettingBox(definition)
        keeper = GroupOpening.current?.keeper
    }

    // The two initializers without an argument are here and not in an extension, because the compiler looks only here
    // when a declaration has neither an argument nor a default value.

    /// Creates an optional setting, `nil` by default, such as `@Setting var nextCheckDate: Date?`.
    public init() where Value: Codable & ExpressibleByNilLiteral {
        self.init(SettingDefinition(key: nil, defaultValue: nil, rules: [], codec: .standard))
    }

    @available(*, unavailable, message: "A setting needs a default value: write '@Setting var name = value'.")
    @_disfavoredOverload
    public init() {
        refusedByCompiler()
    }

    /// The value as the calling thread sees it: inside its own `update`, with that update's writes.
    ///
    /// Assigning an equal value is not a change. Assigning a value that breaks the setting's rule, or a date that is
    /// not finite, leaves the old value and is reported on ``SettingsStore/issues``; inside `update` and `commit` it
    /// makes these throw. A value whose own `encode` throws is reported when it is saved.
    @inlinable
    public var wrappedValue: Value {
        get {
            box.trackedValue
        }
        nonmutating set {
            box.assign(newValue)
            // This may be the last use of the group, and the write has to be saved.
            withExtendedLifetime(keeper) {}
        }
        nonmutating _modify {
            let change = box.beginModifying()
            var value = box.valueToModify
            // Even if the caller throws, its changes so far are written, as with any variable.
            defer {
                box.endModifying(value, change)
                withExtendedLifetime(keeper) {}
            }
            yield &value
        }
    }

    /// The setting itself, rather than its value.
    @inlinable
    public var projectedValue: SettingReference<Value> {
        SettingReference(box: box, keeper: keeper)
    }
}

extension Setting: AnySetting {
    var erasedBox: AnySettingBox { box }

    func with(_ box: AnySettingBox, keeping keeper: Keeper?) -> Setting {
        Setting(box: unsafeDowncast(box, to: SettingBox<Value>.self), keeper: keeper)
    }

    private init(box: SettingBox<Value>, keeper: Keeper?) {
        (self.box, self.keeper) = (box, keeper)
    }
}

/// The memory layout of a ``Setting`` of any type.
struct ErasedSetting {
    let box: AnySettingBox
    let keeper: Keeper?
}
