import ArgumentParser
import Foundation
import Settle

@main
struct NotesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notes",
        abstract: "Keeps notes in a SQLite database, and its settings beside them.",
        subcommands: [Add.self, List.self, Assign.self, Trial.self, Work.self, Bench.self])
}

struct DatabaseOption: ParsableArguments {
    @Option(help: "The file of the database.")
    var database = "notes.sqlite"
}

/// Stores a note, and the number that it has got, in one transaction.
struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Adds a note.")

    @OptionGroup var file: DatabaseOption
    @Argument(help: "The text of the note.")
    var text: String

    func run() async throws {
        let notes = try await NotesDatabase.open(file.database)
        let number = try await notes.add(text)
        print("Note \(number)")
        try await notes.close()
    }
}

struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the notes, in the order of the settings.")

    @OptionGroup var file: DatabaseOption

    func run() async throws {
        let notes = try await NotesDatabase.open(file.database)
        for note in try await notes.list() { print("\(note.number)  \(note.text)") }
        try await notes.close()
    }
}

struct Assign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "set", abstract: "Changes a setting.")

    @OptionGroup var file: DatabaseOption
    @Argument(help: "The key, such as newestFirst.")
    var key: String
    @Argument(help: "The value, in JSON.")
    var value: String

    func run() async throws {
        let notes = try await NotesDatabase.open(file.database)
        let stored = try SettingValue(json: Data(value.utf8))
        try await notes.store.commit(author: "notes") { try notes.store.keys.setValue(stored, forKey: key) }
        try await notes.close()
    }
}
