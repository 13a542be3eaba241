import Settle
import SettleHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The page with the open sessions, on which each can be ended.
struct SessionsPage: Sendable {
    let context: PageContext
    /// The session of the browser that shows it.
    let own: String
    let sessions: [String: SessionRecord]

    var response: PanelResponse {
        let strings = context.strings
        let newest = sessions.sorted { ($1.value.began, $0.key) < ($0.value.began, $1.key) }
        return .html(
            PanelDocument(context: context, title: strings("Sessions"), hasSearch: false).html {
                HTML("h1") { strings("Sessions") }
                HTML("p", ["class": "empty"]) {
                    strings("These browsers can see and change the settings. A session that is ended needs a new link.")
                }
                HTML("ul", ["class": "card history"]) { newest.map { session($0.key, $0.value) } }
            })
    }

    private func session(_ id: String, _ record: SessionRecord) -> HTML {
        let strings = context.strings
        let began = SettingValue.date(Date(timeIntervalSince1970: Double(record.began))).spelledForPeople
        let name = record.name ?? strings("No name")
        return HTML("li") {
            HTML("p") {
                strings.html("Since %@", strings.code(began))
                if let browser = record.browser {
                    " · "
                    strings.isolated(browser)
                }
            }
            HTML("p", ["class": "change"]) {
                strings.isolated(name)
                if id == own { HTML("span", ["class": "mark"]) { strings("This browser") } }
            }
            HTML("form", ["method": "post", "action": .text("\(context.files)/sessions/end")]) {
                context.hiddenFields(["session": id])
                HTML("button", ["class": "quiet"]) {
                    strings("End")
                    HTML("span", ["class": "hidden"]) { " \(name) \(began)" }
                }
            }
        }
    }
}

extension PanelDocument {
    /// The name of the user, the way to the open sessions, and the button that ends this one; nothing without sessions.
    @HTMLBuilder var footer: HTML {
        if let session = context.session {
            let strings = context.strings
            HTML("footer") {
                if let name = session.record.name {
                    HTML("span") { strings.html("Signed in as “%@”", strings.isolated(name)) }
                }
                HTML("a", ["href": .text("\(context.files)/sessions")]) { strings("Sessions") }
                HTML("form", ["method": "post", "action": .text("\(context.files)/leave")]) {
                    context.hiddenFields()
                    HTML("button", ["class": "quiet"]) { strings("Sign out") }
                }
            }
        }
    }
}
