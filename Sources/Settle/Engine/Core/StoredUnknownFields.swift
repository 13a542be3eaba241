/// The fields of a setting's stored value that its type does not know, to be stored again with the next value.
final class StoredUnknownFields: Sendable {
    private let fields = LockedValue<UnknownFields?>(nil)

    func replace(with new: UnknownFields?) {
        // Releasing them runs no foreign code: they are plain data.
        fields.withLock { $0 = new }
    }

    func add(to value: SettingValue) -> SettingValue {
        guard let fields = fields.withLock({ $0 }) else { return value }
        var value = value
        fields.add(to: &value)
        return value
    }

    /// Removes the fields of parts that a value about to be stored no longer has. Otherwise they would come back with
    /// it.
    func keep(within value: SettingValue) {
        fields.withLock { $0 = $0?.within(value) }
    }
}
