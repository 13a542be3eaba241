import Settle

/// Reports how old each stamp is when a task receives it.
struct ReceivingChild: ChildRole {
    var place: ChildPlace

    func run(_ acknowledgements: AcknowledgementFile) async throws {
        guard let contender = try await place.open() as? SettleContender else { return }
        var isFirst = true
        for await stamp in contender.settings.$stamp {
            let age = Int(MonotonicTime.now()) - stamp
            if isFirst {
                isFirst = false
                say("ready")
            } else {
                acknowledgements.add("seen", age)
            }
        }
    }
}
