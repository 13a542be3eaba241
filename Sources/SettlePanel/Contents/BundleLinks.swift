import SettleHTTP
import SettleInterchange

extension SettingsBundle.Link {
    /// The URL, if a page may link to it; `nil` for the schemes of programs, and for everything that could run in the
    /// page.
    var webAddress: String? {
        let schemes = ["http:", "https:", "mailto:", "tel:"]
        return schemes.contains { url.lowercased().hasPrefix($0) } ? url : nil
    }
}

extension SettingsBundle.MailDraft {
    /// The draft as a URL, as in RFC 6068.
    var address: String {
        func list(_ recipients: [String]) -> String {
            recipients.map(PercentEncoding.encoded).joined(separator: ",")
        }
        var fields: [String] = []
        for (name, recipients) in [("cc", copyRecipients), ("bcc", blindCopyRecipients)] where !recipients.isEmpty {
            fields.append("\(name)=\(list(recipients))")
        }
        if let subject { fields.append("subject=\(PercentEncoding.encoded(subject))") }
        if let body {
            // Line breaks are those of emails.
            let lines = body.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n")
            fields.append("body=\(PercentEncoding.encoded(lines))")
        }
        return "mailto:\(list(recipients))" + (fields.isEmpty ? "" : "?" + fields.joined(separator: "&"))
    }
}
