extension VerbTable {
    /// Returns the verbs of `settle`, or of a program's own command.
    static func all(isTool: Bool) -> VerbTable {
        let groups = [
            Group(
                title: "Read",
                verbs: [
                    ListVerb.list, ReadVerbs.read, ReadVerbs.readType, FindVerb.find, ReadVerbs.domains,
                    ReadVerbs.explain, WatchVerb.watch,
                ]),
            Group(title: "Declarations", verbs: [DescribeVerbs.describe, DescribeVerbs.range, CheckVerbs.schema]),
            Group(
                title: "Write",
                verbs: [
                    WriteVerbs.write, WriteVerbs.insert, WriteVerbs.delete, WriteVerbs.rename, EditVerb.edit,
                    BatchVerb.batch, ConfirmVerbs.confirm, ConfirmVerbs.revert,
                ]),
            Group(
                title: "History and repair",
                verbs: [HistoryVerbs.history, HistoryVerbs.undo, BisectVerb.bisect, CheckVerbs.check]),
            Group(
                title: "Documents",
                verbs: [
                    DocumentVerbs.export, DocumentVerbs.`import`, DocumentVerbs.convert, DocumentVerbs.migrate,
                ]),
            Group(
                title: "The command",
                verbs: [DefaultsVerb.defaults, HelpVerbs.completions, HelpVerbs.help, HelpVerbs.version]),
        ]
        return VerbTable(groups, isTool: isTool)
    }
}
