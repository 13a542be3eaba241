extension FileSession {
    /// Writes values beside the file, for people, in place of those that stand there. Nothing reads them back.
    func keepVersion(_ tree: SettingTree) throws(StorageError) {
        let bytes = try encode(tree)
        var replacement = FileReplacement(operations, names: names, previous: .drop, owner: file.owner)
        do throws(FileError) {
            try operations.makeFolders(names.folder)
            _ = try replacement.run(bytes, at: names.beforeMigration)
        } catch {
            throw .notSaved(names.beforeMigration, error)
        }
    }
}
