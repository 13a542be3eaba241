import Settle

/// The errors of the settings under a prefix, as sentences: the action that failed, the location, the cause and the
/// remedy.
extension KeySpace {
    // MARK: The storage

    var closed: StorageError { StorageError(.closed, "The storage of “\(prefix)” has been closed.") }

    var unread: StorageError {
        StorageError(.unreadable, "The settings under “\(prefix)” have not been read, so they are not overwritten.")
    }

    /// Refuses values that JSON can't represent, and the names that the storage reserves.
    func check(_ value: SettingValue, at key: SettingKey) throws(StorageError) {
        guard !KeyName(key).isOwn else {
            throw StorageError(.unsupportedValue, "“\(key)” is a reserved name in the storage under “\(prefix)”.")
        }
        guard !key.hasEmptyName else {
            throw StorageError(.unsupportedValue, "“\(prefix)” can't hold “\(key)”: a name in it is empty.")
        }
        if StorableCheck.isAlwaysStorable(value, at: key) { return }
        do throws(FormatError) {
            try StorableCheck.check(value, at: key, as: .json)
        } catch {
            throw StorageError(.unsupportedValue, "“\(prefix)” can't hold it. \(error)")
        }
    }

    var schemaIsUnusable: StorageError {
        StorageError(
            .unreadable,
            "The schema of the settings under “\(prefix)” can't be read: “\(prefix)\(KeyName.schema.text)” is not a "
                + "JSON object. Store another schema.")
    }

    var schemaIsNoObject: StorageError {
        StorageError(
            .unsupportedValue, "The schema of the settings under “\(prefix)” was not stored: it is not a JSON object.")
    }

    // MARK: Transactions

    func tooManyOperations(_ count: Int, limit: Int) -> StorageError {
        StorageError(
            .unsupportedValue,
            "A transaction under “\(prefix)” can write \(limit) settings, and this one needs \(count) operations.")
    }

    func tooLarge(_ size: Int, limit: Int, largest: SettingKey?) -> StorageError {
        StorageError(
            .unsupportedValue,
            "A transaction under “\(prefix)” can have \(limit) bytes, and this one needs \(size), the most of them for "
                + "“\(largest?.description ?? "")”.")
    }

    var changedByOthers: StorageError {
        StorageError(.conflict, "Another client has changed the settings under “\(prefix)”. Nothing was stored.")
    }

    func overtaken(_ times: Int, code: StorageError.Code = .unavailable, outcome: String) -> StorageError {
        StorageError(
            code, "Other clients have changed the settings under “\(prefix)” \(times) times in a row. \(outcome)")
    }

    var markerIsShared: StorageError {
        StorageError(
            .unavailable,
            "Another process uses the marker of this client under “\(prefix)”: each process needs its own local copy. "
                + "It is not known whether the last transaction was stored.", isOutcomeUnknown: true)
    }

    func leaseLost(_ lease: StorageLease) -> StorageError {
        StorageError(
            .leaseLost, "The lock “\(lease.name ?? "")” under “\(prefix)” is no longer held. Nothing was stored.")
    }

    // MARK: The local copy

    func localCopyIsForeign(_ other: String) -> StorageError {
        StorageError(
            .unreadable,
            "The local copy of the settings under “\(prefix)” belonged to “\(other)”, so it was started over. Give "
                + "each prefix its own file.")
    }

    func givenUp(_ keys: [SettingKey], because reason: String) -> StorageError {
        let keys = keys.map { "“\($0)”" }.joined(separator: ", ")
        return StorageError(
            .conflict,
            "A write to \(keys) under “\(prefix)”, made while the cluster could not be reached, was given up: "
                + "\(reason). It is saved in the local copy; see `lostTransactions()`.")
    }

    // MARK: Changes of others

    func unusable(_ name: String, because reason: String) -> StorageError {
        StorageError(
            .unreadable,
            "“\(prefix)\(name)” can't be used: \(reason) The previous value stays in force. Store JSON of at most 128 "
                + "levels there, or remove the key.")
    }

    /// Returns the error for two prefixes of which one is within the other.
    ///
    /// - Parameter inner: The prefix whose clients interfere with those of this prefix.
    func isUsedWithin(_ inner: KeyName) -> StorageError {
        StorageError(
            .conflict,
            "The prefix “\(prefix)\(inner.text)” is within “\(prefix)”, and other clients use it. Its settings also "
                + "count as settings under “\(prefix)”, whose commits run again whenever one of them changes. "
                + Self.separation)
    }

    func isWithin(_ outer: KeySpace) -> StorageError {
        StorageError(
            .conflict,
            "The prefix “\(prefix)” is within “\(outer.prefix)”, which other clients use. The settings under "
                + "“\(prefix)” also count as theirs, and commits there run again whenever one of them changes. "
                + "\(Self.separation)")
    }

    private static let separation = "Give each a prefix that is not within the other, such as “/app/a/” and “/app/b/”."

    func identityHasChanged(
        to new: GatewayHeader, from old: GatewayHeader, at endpoint: String
    ) -> StorageError {
        let change =
            if new.cluster != old.cluster {
                "another cluster answers now (\(String(new.cluster, radix: 16)) instead of "
                    + "\(String(old.cluster, radix: 16)))"
            } else if new.revision < old.revision {
                "the cluster is at revision \(new.revision) and was at \(old.revision), as after a backup was restored"
            } else {
                "the cluster has another history than at revision \(old.revision), as after a backup was restored"
            }
        return StorageError(
            .unavailable,
            "At “\(endpoint.withoutCredentials)” \(change). The settings under “\(prefix)” were read again; "
                + "tokens of the earlier history are no longer valid.")
    }

    func notFollowed(upTo revision: Int64) -> StorageError {
        StorageError(
            .unavailable,
            "Changes under “\(prefix)” up to revision \(revision) can't be followed yet. Try again when the members "
                + "answer.")
    }

    func unreadableHistory(after revision: Int64, because reason: String) -> StorageError {
        StorageError(
            .unavailable,
            "Changes under “\(prefix)” after revision \(revision) can't be read: \(reason). Try again when the "
                + "members answer.")
    }

    func anotherHistory(_ token: ChangeToken?) -> StorageError {
        StorageError(
            .conflict,
            "The token \(token.map { "\($0)" } ?? "") belongs to another history than the current one of the settings "
                + "under “\(prefix)”, as after a backup of the cluster was restored.")
    }

    func unforgettable(_ key: SettingKey) -> StorageError {
        StorageError(
            .unsupported,
            "Earlier values of “\(key)” under “\(prefix)” can't be removed from etcd's history alone, and none was "
                + "removed. Store another value, run `etcdctl compact` with the newest revision, which removes the "
                + "history of all keys of the cluster, then `etcdctl defrag` on each member.")
    }

    func unwatched(_ endpoint: String, because reason: String) -> StorageError {
        StorageError(
            .unavailable,
            "Changes under “\(prefix)” can't be followed: no endpoint keeps a watch open. The last tried was "
                + "“\(endpoint.withoutCredentials)”: \(reason). Reads continue with the known values.")
    }

    // MARK: Calls

    /// - Parameters:
    ///   - act: The action on the settings: "stored", "read".
    ///   - keys: The settings affected; empty for all under the prefix.
    func error(_ failure: GatewayFailure, _ act: String, at keys: [SettingKey] = []) -> StorageError {
        let place = "\(Self.subject(keys)) under “\(prefix)” could not be \(act)"
        let at = failure.endpoint.isEmpty ? "" : " at “\(failure.endpoint.withoutCredentials)”"
        func refused(_ code: StorageError.Code, _ advice: String) -> StorageError {
            StorageError(code, "\(place)\(at): \(failure.reason)\(advice)")
        }
        switch failure.kind {
        case .unreached, .unanswered:
            if failure.isAboutCertificates {
                return StorageError(
                    .unavailable,
                    "\(place): no secure connection to etcd\(at), because \(failure.reason). Check that the client "
                        + "trusts the authority of the member's certificate, that this names the endpoint's host, "
                        + "and that it has not expired.")
            }
            return StorageError(
                .unavailable,
                "\(place): no answer from etcd\(at), because \(failure.reason). Check that a majority of the members "
                    + "runs, and that the endpoints are their client URLs.")
        case .refused(GatewayFailure.Code.permissionDenied):
            return refused(.permissionDenied, ". Give the user a role that may read and write the prefix.")
        case .refused(GatewayFailure.Code.unauthenticated),
            .refused where failure.isAboutPassword:
            return refused(.permissionDenied, ". Check the user's name and password.")
        case .refused(GatewayFailure.Code.invalidArgument) where failure.reason.contains("too large"):
            return refused(.unsupportedValue, ". The server's limit is --max-request-bytes, usually 1.5 MiB.")
        case .refused(GatewayFailure.Code.resourceExhausted):
            return refused(
                .writeFailed,
                ". If the database is full, run `etcdctl compact` with the newest revision, then `etcdctl defrag` on each "
                    + "member and `etcdctl alarm disarm`; the limit is --quota-backend-bytes.")
        case .refused(let code):
            return refused(
                act == "read" ? .unreadable : .writeFailed,
                " (code \(code)). Check that the endpoint is a member of etcd 3.4 or newer, and see its log for this time."
            )
        }
    }

    /// Returns the first few keys: a sentence with a hundred of them is unreadable.
    private static func subject(_ keys: [SettingKey]) -> String {
        guard !keys.isEmpty else { return "The settings" }
        let named = keys.prefix(3).map { "“\($0)”" }.joined(separator: ", ")
        return keys.count > 3 ? "\(named) and \(keys.count - 3) more" : named
    }
}
