import FleetMachines
import Foundation

extension FleetTrial {
    /// Returns how many transactions have a time outside the run: their services' clocks were moved.
    func misdatedCount(in events: [BareEtcd.Event]) -> Int {
        let end = Date().timeIntervalSinceReferenceDate
        let decoder = JSONDecoder()
        return events.count { event in
            guard event.key.contains("$settle/markers/"), let value = event.value,
                let time = (try? decoder.decode(Dated.self, from: Data(value.utf8)))?.time
            else { return false }
            return time < start - 1 || time > end + 1
        }
    }
}

/// The part of a client's marker that dates a transaction.
private struct Dated: Decodable {
    var time: Double?
}
