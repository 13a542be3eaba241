import Foundation
import SettleInterchange

/// A suite whose archives are written by hand from the format.
protocol WritesArchives {}

extension WritesArchives {
    /// An archive in XML with these objects after `$null`, and the first of them as its root.
    func archive(_ objects: [String], top: String? = nil) -> Data {
        let references = top ?? "<key>root</key>\(reference(1))"
        return Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key><integer>100000</integer>
            <key>$top</key><dict>\(references)</dict>
            <key>$objects</key><array><string>$null</string>\(objects.joined())</array>
            </dict></plist>
            """.utf8)
    }

    func reference(_ number: Int) -> String { "<dict><key>CF$UID</key><integer>\(number)</integer></dict>" }

    func object(_ number: Int, _ fields: String) -> String {
        "<dict><key>$class</key>\(reference(number))\(fields)</dict>"
    }

    func described(_ names: String...) -> String {
        "<dict><key>$classname</key><string>\(names[0])</string><key>$classes</key><array>"
            + names.map { "<string>\($0)</string>" }.joined() + "</array></dict>"
    }

    func read(_ objects: String...) throws -> ArchivedValue? { try KeyedArchive(archive(objects)).root }

    /// A list of the objects with these numbers.
    func list(_ numbers: [Int], class number: Int = 2) -> String {
        object(number, "<key>NS.objects</key><array>\(numbers.map(reference).joined())</array>")
    }
}
