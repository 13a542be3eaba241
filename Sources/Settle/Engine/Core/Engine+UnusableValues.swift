/// Handling of stored values that do not convert to their setting's type, or break its rule.
extension Engine {
    /// Gives a setting that is not shared yet its stored value, or, if that can't be used, the last good one that the
    /// storage has preserved.
    ///
    /// - Returns: Whether it has either of them, and the last good value if that is used.
    final func adopt(
        _ value: SettingValue, at key: SettingKey, in box: AnySettingBox
    ) -> (Bool, lastGood: SettingValue?) {
        do {
            try box.adopt(loaded: value)
            return (true, nil)
        } catch {
            box.markSavesEqual(true)
            let lastGood = keptValues(forKey: key, insteadOf: value).first { (try? box.adopt(loaded: $0)) != nil }
            let inForce = lastGood.map { SettingsError.Substitute.lastGood($0) } ?? .default
            reportUnusable(value, of: box, key: key, inForce: inForce, error)
            return (lastGood != nil, lastGood)
        }
    }

    /// Stages an external value of a setting. If it can't be used, the value in force stays.
    ///
    /// - Returns: The stored form of the value that stays in force although something else is stored.
    final func stage(_ setting: AffectedSetting) -> SettingValue? {
        let (box, key, slot) = (setting.box, setting.key, setting.slot)
        guard let value = setting.value else {
            box.markSavesEqual(false)
            box.stageDefault()
            transaction?.outside.insert(ObjectIdentifier(box))
            log.lock.withLock { slot.lastGood = nil }
            return nil
        }
        reportIfExposed(box, at: slot.key)
        do {
            // A value that came at another spelling of the key is not stored at the setting's own key yet.
            let isAtPlace = !setting.hasOtherSpelling
            let isDifferent = try box.stageIfDifferent(decoding: value)
            box.markSavesEqual(false)
            if isDifferent, isAtPlace { transaction?.outside.insert(ObjectIdentifier(box)) }
            log.lock.withLock {
                slot.lastGood = nil
                guard !isDifferent, !slot.isStored else { return }
                // It equals the default, but values of lower domains no longer apply.
                (slot.isStored, slot.origin) = (true, .external)
            }
            return nil
        } catch {
            box.markSavesEqual(true)
            let lastGood = log.lock.withLock { () -> SettingValue? in
                // A second unusable value follows the first one, not the value in force.
                if key != slot.key { return slot.lastGood ?? (slot.isStored ? setting.old : nil) }
                if slot.isStored, slot.lastGood == nil { slot.lastGood = setting.old }
                return slot.lastGood
            }
            reportUnusable(value, of: box, key: slot.key, inForce: .lastGood(lastGood), error)
            return lastGood
        }
    }

    private final func reportUnusable(
        _ value: SettingValue, of box: AnySettingBox, key: SettingKey, inForce: SettingsError.Substitute,
        _ error: any Error
    ) {
        reportAfterUnlock(box.unusable(value, at: key, inForce: inForce, error))
    }
}

extension AnySettingBox {
    fileprivate func unusable(
        _ value: SettingValue, at key: SettingKey, inForce: SettingsError.Substitute, _ error: any Error
    ) -> SettingsError {
        .unusableValue(
            key: key, stored: Redacted(value, isSecret: isSecret), rule: brokenRule(error), inForce: inForce, error)
    }

    /// Returns the reason why a stored value is not in force; `nil` if it can be used.
    ///
    /// - Parameter lastGood: The stored form of the value that is in force instead; `nil` if that is the default.
    final func problem(with stored: SettingValue, at key: SettingKey, lastGood: SettingValue?) -> SettingsError? {
        do {
            try check(loaded: stored)
            return nil
        } catch {
            return unusable(stored, at: key, inForce: lastGood.map { .lastGood($0) } ?? .default, error)
        }
    }
}
