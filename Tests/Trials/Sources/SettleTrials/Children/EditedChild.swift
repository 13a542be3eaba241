import Settle

/// Writes settings while the file is edited, and reports the edits and issues that it sees.
struct EditedChild: ChildRole {
    var place: ChildPlace

    func run(_ acknowledgements: AcknowledgementFile) async throws {
        guard let contender = try await place.open() as? SettleContender else { return }
        let (store, settings) = (contender.store, contender.settings)
        let changes = settings.changes
        let issues = store.issues
        Task.detached {
            for await change in changes where change.origin == .external {
                if let edit = change[settings.$edited] { acknowledgements.add("external", edit.newValue) }
            }
        }
        Task.detached {
            for await issue in issues { acknowledgements.add("issue", text: issue.description) }
        }
        try await contender.commit(["single": 0], texts: ["note": "by the program"])
        try await contender.writeSecret(1)
        say("ready")
        let end = StandardStreams.untilParentSpeaks()
        var number = 0
        while !end.hasCome {
            number += 1
            try contender.write(["single": number])
            if number.isMultiple(of: 50) { try await contender.flush() }
            try await Task.sleep(for: .milliseconds(1))
        }
        try await store.close()
        acknowledgements.add("closed", number)
    }
}
