import SettleHTTP

/// The pages for a user who has not been let in.
struct SignInPage: Sendable {
    let context: PageContext

    /// Returns the page behind a link, with the button that spends it.
    ///
    /// - Parameter name: The name for which the link was made.
    func response(link: String, for name: String?, to path: String?) -> PanelResponse {
        let strings = context.strings
        return .html(
            page {
                HTML("h1") { strings.isolated(context.programTitle) }
                HTML("p") { strings("This link lets this browser see and change the settings. It works once.") }
                if let name {
                    HTML("p") { strings.html("Changes are stored under the name “%@”.", strings.isolated(name)) }
                }
                HTML("form", ["method": "post", "action": .text("\(context.base)/enter")]) {
                    HTML("input", ["type": "hidden", "name": "link", "value": .text(link)])
                    if let path { HTML("input", ["type": "hidden", "name": "to", "value": .text(path)]) }
                    if let origin = context.origin {
                        HTML("input", ["type": "hidden", "name": "return", "value": .text(origin)])
                    }
                    HTML("button") { strings("Open the settings") }
                }
            })
    }

    /// The response to a browser without a session.
    var refusal: PanelResponse {
        let strings = context.strings
        return .html(
            page {
                HTML("h1") { strings("This browser is not signed in") }
                HTML("p") {
                    strings(
                        "Use the link from the program. A link works once, within a few minutes; the program can make a new one."
                    )
                }
            }, status: 401)
    }

    /// The response to a browser that has signed out.
    var farewell: PanelResponse {
        let strings = context.strings
        return .html(
            page {
                HTML("h1") { strings("You have signed out") }
                HTML("p") { strings("To come back, use a new link from the program.") }
            })
    }

    private func page(@HTMLBuilder _ content: () -> HTML) -> HTML {
        let strings = context.strings
        let content = content()
        return .document(language: strings.language, isRightToLeft: strings.isRightToLeft) {
            HTML("head") {
                HTML("meta", ["charset": "utf-8"])
                HTML("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
                HTML("meta", ["name": "color-scheme", "content": "light dark"])
                HTML("title") { strings("Settings") }
                HTML("link", ["rel": "icon", "href": .text("\(context.files)/icon")])
                HTML("link", ["rel": "stylesheet", "href": .text("\(context.files)/style.css?\(context.assets)")])
            }
            HTML("body", ["class": "entrance"]) { HTML("main") { content } }
        }
    }
}
