import Settle

/// Writing with ten domains open.
enum LayeredWrites {
    static func measure(_ stores: LayeredStores, _ plan: Plan) -> [RowResult] {
        func result(_ subject: String, _ write: @escaping (LayeredSettings, Int) -> Void) -> RowResult {
            let row = Row(
                id: "R25", subject: "\(subject), ten domains open", limit: "with one", goal: 1.05)
            return RowResult(row, compare(stores, plan, write))
        }
        return [
            result("write Int") { $0.count = $1 },
            result("write Int with a rule") { $0.bounded = $1 },
            result("write Int that a domain below has") { $0.below = $1 },
            result("+= 1") { settings, _ in settings.count += 1 },
            result("update of two settings") { settings, value in
                try? settings.update {
                    $0.count = value
                    $0.other = value
                }
            },
            result("write an equal value") { settings, _ in settings.count = 7 },
        ]
    }

    private static func compare(
        _ stores: LayeredStores, _ plan: Plan, _ write: @escaping (LayeredSettings, Int) -> Void
    ) -> Comparison {
        var (mine, theirs) = (0, 0)
        return plan.compare(
            subject: { turns in
                for _ in 0..<turns {
                    mine &+= 1
                    write(stores.many, mine)
                }
            },
            limit: { turns in
                for _ in 0..<turns {
                    theirs &+= 1
                    write(stores.single, theirs)
                }
            })
    }
}

/// Reading with ten domains open.
enum LayeredReads {
    static func measure(_ stores: LayeredStores, _ plan: Plan) -> [RowResult] {
        func result(_ subject: String, _ read: @escaping (SettingsStore, LayeredSettings) -> Void) -> RowResult {
            let row = Row(
                id: "R25r", subject: "\(subject), ten domains open", limit: "with one", goal: 1.05)
            let comparison = plan.compare(
                subject: { turns in
                    for _ in 0..<turns { read(stores.ten, stores.many) }
                },
                limit: { turns in
                    for _ in 0..<turns { read(stores.one, stores.single) }
                })
            return RowResult(row, comparison)
        }
        return [
            result("read Int") { consume($1.count) },
            result("read Int, untracked") { consume($1.$count.value) },
            result("read Int that a domain below has") { consume($1.below) },
            result("read String of 32 bytes") { consume($1.$name.value) },
            result("read by run-time key") { store, _ in
                consume((try? store.keys.value(forKey: "count", as: Int.self)) ?? 0)
            },
            result("read by a key that nothing has") { store, _ in
                consume((try? store.keys.value(forKey: "missing", as: Int.self)) ?? 0)
            },
        ]
    }
}
