import FoundationEssentials
import Settle

/// Feeds an input to the reader of keyed archives.
///
/// For any input, what has been read is written, and read again as the same; and becomes settings, or a sentence says
/// why not.
func fuzz(_ input: UnsafeBufferPointer<UInt8>) {
    guard let archive = try? KeyedArchive(Data(input)) else { return }
    _ = try? archive.contents()
    guard let data = try? archive.data() else { return }
    do throws(ArchiveError) {
        let again = try KeyedArchive(data)
        // Numbers that are none are unequal to themselves.
        precondition(again == archive || "\(again)" == "\(archive)", "an archive has changed on its way")
    } catch {
        preconditionFailure("what was written is not read: \(error)")
    }
}
