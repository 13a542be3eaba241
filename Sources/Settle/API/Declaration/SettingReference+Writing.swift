/// Writes that can fail.
extension SettingReference {
    /// Writes a value.
    ///
    /// - Throws: ``SettingsError`` that names the key, the value and the rule, if the value breaks the setting's rule
    ///   or is a date that is not finite; or if the store has been closed. The old value then stays. A value whose own
    ///   `encode` throws is reported when it is saved.
    public func set(_ newValue: Value) throws(SettingsError) {
        defer { withExtendedLifetime(keeper) {} }
        try box.set(newValue)
    }

    /// Changes the value in place, atomically: no other write comes between reading and writing.
    ///
    /// - Throws: ``SettingsError`` if the closure writes the same setting in another way, in which case that value
    ///   stays; otherwise as ``set(_:)``.
    @discardableResult
    public func modify<Result>(_ body: (inout Value) -> Result) throws(SettingsError) -> Result {
        try change(failing: { $0 }) { value throws(SettingsError) in (body(&value), isChanged: true) }
    }

    /// Changes the value in place, atomically: no other write comes between reading and writing.
    ///
    /// - Throws: The closure's error, in which case nothing is written; otherwise as the variant whose closure does not
    ///   throw.
    @discardableResult
    public func modify<Result>(_ body: (inout Value) throws -> Result) throws -> Result {
        try change(failing: { $0 }) { value throws in (try body(&value), isChanged: true) }
    }

    /// Resets the setting to its default; nothing is stored for it then.
    ///
    /// - Throws: ``SettingsError`` if the store has been closed, if the group was released, if the setting is locked,
    ///   or if only the secret store can have its value (``SettingStorage/secrets``).
    public func reset(author: String? = nil) throws(SettingsError) {
        let box = box.resolved
        try transact(origin: .reset, by: author) { () throws(SettingsError) in
            try box.checkRelease()
            try box.checkLock()
            try box.checkReset()
            box.stageDefault()
        }
    }

    // MARK: Access for parts of the value

    /// - Parameters:
    ///   - failing: Converts an error of the store to one that the caller throws.
    ///   - body: Changes the value, and returns whether it did.
    func change<Result, Failure: Error>(
        failing: (SettingsError) -> Failure, _ body: (inout Value) throws(Failure) -> (Result, isChanged: Bool)
    ) throws(Failure) -> Result {
        let box = box.resolved
        let placement = box.lockForWriting()
        defer {
            placement.engine.writer.unlock()
            withExtendedLifetime(keeper) {}
        }
        let mark = box.changeMark
        var value = box.valueToModify
        let (result, isChanged) = try body(&value)
        guard box.changeMark == mark else { throw failing(.overlappingChange(key: placement.slot.key)) }
        if isChanged {
            do throws(SettingsError) { try box.set(value) } catch { throw failing(error) }
        }
        return result
    }

    /// Takes the writer's lock and reads the value.
    func beginModifying() -> (value: Value, change: InPlaceChange) {
        let change = box.beginModifying()
        return (box.valueToModify, change)
    }

    /// Writes the value as changed by a closure, and releases the lock. A value that can't be written is reported, or
    /// fails the transaction in progress.
    ///
    /// - Parameter body: Changes the value, and returns whether it did.
    func endModifying(
        _ change: InPlaceChange, _ body: (inout Value) throws(SettingsError) -> Bool
    ) {
        var value = box.valueToModify
        let engine = change.placement.takeUnretainedValue().engine
        do {
            if try body(&value) {
                box.endModifying(value, change)
            } else {
                engine.writer.unlock()
            }
        } catch {
            engine.refuse(error)
            engine.writer.unlock()
        }
        withExtendedLifetime(keeper) {}
    }

    func transact(
        origin: ValueOrigin, by author: String?, _ body: () throws(SettingsError) -> Void
    ) throws(SettingsError) {
        defer { withExtendedLifetime(keeper) {} }
        try placement.engine.transact(origin: origin, author: author, failing: { $0 }, body)
    }
}
