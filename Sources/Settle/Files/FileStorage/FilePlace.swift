/// The files to which the path of a settings file leads.
struct FilePlace: Sendable, Equatable {
    /// The names of the file itself, after all links on the way to it.
    var names: FileNames
    /// The symbolic links on the way from the path to the file.
    var links: [FilePath] = []

    /// The names whose changes matter, by folder: those of the files and the journal, and of each link on the way to
    /// them.
    var watchedNames: [FilePath: Set<String>] {
        var watched: [FilePath: Set<String>] = [names.folder: [names.file.name]]
        watched[names.stateFolder, default: []].formUnion([names.state.name, names.journal.name])
        for link in links { watched[link.folder, default: []].insert(link.name) }
        return watched
    }
}
