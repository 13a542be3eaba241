import Settle

/// The verb that makes many changes in one transaction.
enum BatchVerb {
    static let batch = Verb(
        name: "batch", scope: .domain, options: [.author, .confirmWithin],
        summary: "Makes the changes on standard input, one per line: all of them or none.",
        details: """
            A line is a verb with its arguments, without the domain: write window.width -int 800. The verbs are \
            write, insert, delete and rename, with --literal, --force and --json. Words are quoted as in a shell; an empty \
            line or one that begins with # is skipped. A line sees what the lines before it have changed. It is one \
            transaction: one entry of the history, and one change for programs that follow.
            """,
        action: { invocation in
            let lines = try invocation.batchedLines()
            let (target, declared) = try invocation.settings()
            try await invocation.store(in: target, declared) { changes in
                for (number, line) in lines {
                    do {
                        try line.arguments.verb.change?(line, target, declared, &changes)
                    } catch {
                        throw CommandFailure(error, inLine: number)
                    }
                }
            }
        })
}

extension VerbTable {
    /// The verbs of the lines of `batch`.
    fileprivate static var batch: VerbTable {
        let verbs = [WriteVerbs.write, WriteVerbs.insert, WriteVerbs.delete, WriteVerbs.rename]
        return VerbTable([Group(title: "Verbs", verbs: verbs)], isTool: false, dialect: .batch)
    }
}

extension Invocation {
    /// Reads all lines before the first one is used.
    fileprivate func batchedLines() throws(CommandFailure) -> [(number: Int, line: Invocation)] {
        let bytes = try terminal.readInput()
        guard bytes.count <= FileStorage.sizeLimit, let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.refused, "Standard input is not UTF-8 text, or is too long. Nothing has changed.")
        }
        let table = VerbTable.batch
        let texts = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        var lines: [(number: Int, line: Invocation)] = []
        for (index, line) in texts.enumerated() {
            do throws(CommandFailure) {
                let words = try ShellWords.words(of: line)
                guard !words.isEmpty else { continue }
                let arguments = try Arguments(words, of: table, program: "\(program) batch")
                let invocation = Invocation(
                    arguments: arguments, program: program, table: table, context: context, terminal: terminal)
                lines.append((index + 1, invocation))
            } catch {
                throw CommandFailure(error, inLine: index + 1)
            }
        }
        return lines
    }
}

extension CommandFailure {
    /// The failure of a line of `batch`.
    fileprivate init(_ error: any Error, inLine number: Int) {
        let failure = CommandFailure(error)
        self.init(failure.code, lines: failure.lines.map { "Line \(number): \($0)" } + ["Nothing has changed."])
    }
}
