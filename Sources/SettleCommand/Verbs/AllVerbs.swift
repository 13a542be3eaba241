extension VerbTable {
    /// Returns the verbs of `settle`, or of a program's own command.
    static func all(isTool: Bool) -> VerbTable {
        VerbTable(
            verbs: [
                ListVerb.list, ReadVerbs.read, ReadVerbs.readType, ReadVerbs.find,
                ReadVerbs.domains, ReadVerbs.explain, WatchVerb.watch,
                WriteVerbs.write, WriteVerbs.delete, WriteVerbs.rename, EditVerb.edit,
                HistoryVerbs.history, HistoryVerbs.undo, ConfirmVerbs.confirm, ConfirmVerbs.revert,
                BisectVerb.bisect,
                DocumentVerbs.export, DocumentVerbs.`import`, DocumentVerbs.convert,
                DocumentVerbs.migrate, CheckVerbs.check, CheckVerbs.schema,
                HelpVerbs.completions, HelpVerbs.help,
            ], isTool: isTool)
    }
}
