import Settle

/// The details of a stored transaction that a client with a history puts into its marker, beside the author's name and
/// the time.
///
///     "program": "fleet", "process": 4711, "user": "carol", "undone": "00c0ffee…-42-0123…", "reason": "…"
///
/// The changes are not included: they are the writes of the revision.
struct TransactionDetails: Sendable, Equatable {
    var program: String?
    var process: Int32?
    var user: String?
    /// Whether it only reset settings to defaults.
    var isReset = false
    var undone: ChangeToken?
    var reason: String?
    /// Whether it wrote an owner-only setting.
    var isOwners = false
}

extension TransactionDetails {
    /// - Parameter transactions: The transactions of a batch, which is one etcd transaction; empty for a store that
    ///   keeps no history.
    init(of transactions: [StoredTransaction]) {
        let author = transactions.last?.author
        (program, process, user) = (author?.program, author?.process, author?.user)
        isReset = !transactions.isEmpty && transactions.allSatisfy { $0.origin == .reset }
        undone = transactions.last { $0.undone != nil }?.undone
        reason = transactions.last { $0.reason != nil }?.reason
        isOwners = transactions.contains(where: \.isOwners)
    }

    init(_ object: GatewayObject) {
        program = object.name("program")
        process = object.name("process").flatMap { Int32($0) }
        user = object.name("user")
        isReset = object.bool("reset")
        undone = object.name("undone").flatMap { ChangeToken($0) }
        reason = object.name("reason")
        isOwners = object.bool("owners")
    }

    /// The entries for a marker. Default values are left out.
    var entries: SettingValue.Entries {
        var entries: SettingValue.Entries = [:]
        if let program { entries["program"] = .string(program) }
        if let process { entries["process"] = .gateway(process) }
        if let user { entries["user"] = .string(user) }
        if isReset { entries["reset"] = .bool(true) }
        if let undone { entries["undone"] = .string(undone.description) }
        if let reason { entries["reason"] = .string(reason) }
        if isOwners { entries["owners"] = .bool(true) }
        return entries
    }
}

extension StoredTransaction {
    /// Creates the record of a transaction from a marker and the changes of its revision. Without a marker, another
    /// tool made the transaction.
    init(_ marker: Marker?, _ mutations: [StoredMutation]) {
        let details = marker?.details ?? TransactionDetails()
        self.init(
            time: marker?.time ?? 0,
            author: TransactionAuthor(
                name: marker?.author, program: details.program, process: details.process, user: details.user),
            origin: marker == nil ? .external : details.isReset ? .reset : .local, undone: details.undone,
            reason: details.reason, mutations: mutations)
        isOwners = details.isOwners
    }
}

extension StorageBatch {
    /// The author of everything in one etcd transaction, or else the authors of its transactions.
    var authors: String? {
        if let author { return author }
        var names: [String] = []
        for name in transactions.compactMap(\.author.name) where !names.contains(name) { names.append(name) }
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }
}
