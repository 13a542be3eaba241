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
/// A change in place must not suspend: a setting can't be passed `inout` to an `async` function. Copy the value, and assign the
/// result. A change that is suspended all the same ends the program with a message that says so, when it goes on on another
/// thread or when its own thread gets to look at it, as it does once others wait. What runs within a change may write other
/// settings, also in a `Task.immediate` or from a run loop. A task on the thread of a suspended change looks the same, so it may
/// write too until the change is found.
///
/// The value may be of any `Codable & Sendable` type. The key in the storage is the property's name unless the declaration
/// gives one; keys with dots nest.
@propertyWrapper
public struct Setting<Value: Sendable>: Sendable {
    @usableFromInline let box: SettingBox<Value>
    /// Keeps the store open that has opened the group.
    @usableFromInline let keeper: StoreKeeper?

    init(_ definition: SettingDefinition<Value>) {
        box = SettingBox(definition)
        keeper = GroupOpening.current?.keeper
    }

    // The two initializers without an argument stand here and not in an extension, because the compiler only looks here when
    // a declaration has neither an argument nor a default value.

    /// An optional setting, `nil` by default, such as `@Setting var nextCheckDate: Date?`.
    public init() where Value: Codable & ExpressibleByNilLiteral {
        self.init(SettingDefinition(key: nil, defaultValue: nil, rules: [], codec: .standard))
    }

    @available(*, unavailable, message: "A setting needs a default value: write '@Setting var name = value'.")
    @_disfavoredOverload
    public init() {
        // Proof: the compiler refuses every call of an unavailable initializer.
        fatalError("unavailable")
    }

    /// The value as the calling thread sees it: inside its own `update`, what that has written.
    ///
    /// An assignment of an equal value is no change. One that breaks the setting's rule leaves the old value and is
    /// reported on ``SettingsStore/issues``; inside `update` and `commit` it makes these throw.
    @inlinable
    public var wrappedValue: Value {
        get {
            box.trackedValue
        }
        nonmutating set {
            box.assign(newValue)
            // The group may be used here for the last time, and the write is to be saved.
            withExtendedLifetime(keeper) {}
        }
        nonmutating _modify {
            let change = box.beginModifying()
            var value = box.value
            // Also when the caller throws: what it has changed until then is written, as with any variable.
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
}
