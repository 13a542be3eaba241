/// The reason why a journal can't be read at all.
package enum JournalError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no journal yet: the file is shorter than a header, or all zeros.
    case empty
    case damaged
    /// A later version of this framework has written the journal. It must not be written to.
    case newerVersion(UInt32)
    /// A later version of this framework has written the record at an offset. The journal must not be written to.
    case newerRecord(offset: Int)

    package var description: String {
        switch self {
        case .empty: "The journal has not been started: it has no header."
        case .damaged: "The journal's header is damaged, or the file is not a journal."
        case .newerVersion(let version):
            """
            The journal has version \(version), but this program knows none later than \(JournalHeader.version): a newer \
            program wrote it.
            """
        case .newerRecord(let offset):
            "Its record at byte \(offset) is intact, but this program does not know its format: a newer program wrote "
                + "it."
        }
    }
}
