import Settle
import SettleInterchange

/// Verbs that check files and values.
enum CheckVerbs {
    private static let repair = Verb.Option(
        names: ["--repair"], help: "Set damaged files aside, and store the values that can be salvaged.")

    static let check = Verb(
        name: "check", scope: .domain, options: [repair],
        summary: "Checks whether a domain's files are healthy and its values follow the rules.",
        details: "Without --repair nothing is written. Programs already use the values that would be salvaged.",
        action: { invocation in
            let target = try invocation.target()
            var problems: [String] = []
            let values: SettingTree
            if case .file(let address) = target {
                var contents = try address.salvaged()
                problems += contents.outcome.problems
                if invocation.has(repair), !problems.isEmpty {
                    // A program that opens the files repairs them.
                    try await target.writing { store in try await store.file.flush() }
                    problems.forEach(invocation.terminal.complain)
                    contents = try address.salvaged()
                    problems = contents.outcome.problems
                }
                if contents.outcome == .absent { throw address.missing }
                values = contents.tree
            } else {
                values = try await target.storedValues()
            }
            let declared = try target.declared()
            problems += declared.all.compactMap { declared.value(of: $0, in: values).flatMap($0.refusal) }
            // A program may have variables of its own with such names, so they are no problem.
            let remarks = target.misspeltVariables
            let unconfirmed =
                problems.isEmpty
                ? try await target.reading { ($0.unconfirmed.change, problem: $0.unconfirmed.problem) } : nil
            if let problem = unconfirmed?.problem { problems.append("\(problem)") }
            let keys = values.leaves(within: declared).count
            if invocation.format != nil {
                try invocation.show(
                    .dictionary([
                        "problems": .array(problems.map { .string($0) }),
                        "remarks": .array(remarks.map { .string($0) }), "values": .integer(Int64(keys)),
                    ]))
            } else {
                (problems + remarks).forEach(invocation.terminal.complain)
            }
            guard problems.isEmpty else {
                throw CommandFailure(.absent, "\(target.name): \(problems.count) found.")
            }
            guard invocation.format == nil else { return }
            try invocation.terminal.say("\(target.name): healthy, values: \(keys)", .green)
            invocation.tellUnconfirmed(unconfirmed?.0)
        })

    static let schema = Verb(
        name: "schema", scope: .domain,
        summary: "Shows the JSON Schema of the declared settings.",
        details: "A program writes it beside its settings with “store.file.writeSchema()”.",
        action: { invocation in
            let target = try invocation.target()
            let schema: SettingValue
            switch target {
            case .program(let settings): schema = settings.store.file.schema().jsonSchema
            case .file(let address):
                guard let found = try address.schema() else {
                    throw CommandFailure(
                        .unavailable, "\(address.name) has no schema: its program has not written one.")
                }
                schema = found
            }
            try invocation.show(schema, as: invocation.format ?? .json)
        })
}

extension CommandTarget {
    /// Sentences about environment variables that may be misspelt.
    fileprivate var misspeltVariables: [String] {
        guard case .program(let settings) = self else { return [] }
        return settings.store.domains.unknownVariables.filter { $0.nearest != nil }.map(\.description)
    }
}

extension StorageContents.Outcome {
    /// The damage, as sentences.
    fileprivate var problems: [String] {
        switch self {
        case .absent, .intact: []
        case .recovered(let description, let isComplete):
            [isComplete ? description : "\(description) Some settings have earlier values."]
        case .removed(let description): [description]
        }
    }
}
