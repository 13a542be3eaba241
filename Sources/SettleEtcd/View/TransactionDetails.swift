import Settle

/// What a client that keeps a history says in its marker of what it has stored, beside the author's name and the time.
///
///     "program": "fleet", "process": 4711, "user": "carol", "undone": "00c0ffee…-42-0123…", "reason": "…"
///
/// What it has changed is not there: that is what the revision has written.
struct TransactionDetails: Sendable, Equatable {
    var program: String?
    var process: Int32?
    var user: String?
    /// Whether it has only gone back to defaults.
    var isReset = false
    var undone: ChangeToken?
    var reason: String?
    /// Whether it has written a setting that only its owner writes.
    var isOwners = false
}

extension TransactionDetails {
    /// - Parameter transactions: Those of a batch, which is one transaction of etcd; none of a store that keeps no
    ///   history.
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

    /// What a marker has of it. What has its default is left out.
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
    /// What a marker says of a transaction, with what its revision has changed. Without a marker another tool has made
    /// it.
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
    /// Who has made what is one transaction of etcd: the author of all of it, or else those of its transactions.
    var authors: String? {
        if let author { return author }
        var names: [String] = []
        for name in transactions.compactMap(\.author.name) where !names.contains(name) { names.append(name) }
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }
}
