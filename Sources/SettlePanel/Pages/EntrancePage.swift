/// What somebody sees who has not been let in.
struct EntrancePage: Sendable {
    let context: PageContext

    /// The page behind a link, with the button that spends it.
    func response(link: String, to place: String?) -> PanelResponse {
        let words = context.words
        return .html(
            page {
                HTML("h1") { context.contents.title }
                HTML("p") { words("This link lets this browser see and change the settings. It works once.") }
                HTML("form", ["method": "post", "action": .text("\(context.base)/enter")]) {
                    HTML("input", ["type": "hidden", "name": "link", "value": .text(link)])
                    if let place { HTML("input", ["type": "hidden", "name": "to", "value": .text(place)]) }
                    if let origin = context.origin {
                        HTML("input", ["type": "hidden", "name": "return", "value": .text(origin)])
                    }
                    HTML("button") { words("Open the settings") }
                }
            })
    }

    /// For a browser without a session.
    var refusal: PanelResponse {
        let words = context.words
        return .html(
            page {
                HTML("h1") { words("This browser has not been let in") }
                HTML("p") {
                    words(
                        "Use the link that the program has shown. Each works once, and for a few minutes; the program makes a new one."
                    )
                }
            }, status: 401)
    }

    private func page(@HTMLBuilder _ content: () -> HTML) -> HTML {
        let words = context.words
        let content = content()
        return .document(language: words.language, isRightToLeft: words.isRightToLeft) {
            HTML("head") {
                HTML("meta", ["charset": "utf-8"])
                HTML("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
                HTML("meta", ["name": "color-scheme", "content": "light dark"])
                HTML("title") { words("Settings") }
                HTML("link", ["rel": "icon", "href": .text("\(context.files)/icon")])
                HTML("link", ["rel": "stylesheet", "href": .text("\(context.files)/style.css?\(context.assets)")])
            }
            HTML("body", ["class": "entrance"]) { HTML("main") { content } }
        }
    }
}
