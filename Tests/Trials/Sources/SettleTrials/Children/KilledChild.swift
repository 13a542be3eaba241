import Settle
import TrialChecks

/// Reports what it finds, then performs the plan step by step until it is killed.
struct KilledChild: ChildRole {
    var place: ChildPlace
    var plan: KillPlan
    var firstStep: Int

    func run(_ acknowledgements: AcknowledgementFile) async throws {
        let contender = try await place.open()
        acknowledgements.add(
            "found", try contender.number("single"), try contender.number("left"), try contender.number("right"),
            try contender.number("counter"))
        let settle = contender as? SettleContender
        if let settle {
            forwardIssues(of: settle, to: acknowledgements)
            if let number = settle.secret.number {
                acknowledgements.add("secret", number)
            } else {
                acknowledgements.add("issue", text: "The secret was never written.")
            }
        }
        say("ready")
        var number = firstStep
        while true {
            try await perform(plan.step(number), number: number, with: contender)
            acknowledgements.add("step", number, Int(MonotonicTime.now()))
            if number.isMultiple(of: 8), let settle {
                try await settle.writeSecret(number)
                acknowledgements.add("kept", number)
            }
            let random = SeededGenerator.number(seed: ~plan.seed, at: number)
            // Bursts and pauses: a kill should meet both.
            if !random.isMultiple(of: 4) { MonotonicTime.pause(microseconds: Int(random >> 32) % 200) }
            number += 1
        }
    }

    private func perform(_ step: KillPlan.Step, number: Int, with contender: any Contender) async throws {
        switch step {
        case .single: try contender.write(["single": number])
        case .pair: try contender.write(["left": number, "right": number])
        case .commit: try await contender.increment("counter", with: ["left": number, "right": number])
        }
    }

    private func forwardIssues(of contender: SettleContender, to acknowledgements: AcknowledgementFile) {
        let issues = contender.store.issues
        Task.detached {
            for await issue in issues { acknowledgements.add("issue", text: issue.description) }
        }
    }
}
