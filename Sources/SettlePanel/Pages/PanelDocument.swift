/// The frame of every page.
struct PanelDocument: Sendable {
    let context: PageContext
    let title: String
    /// The address of the page's stream of changes.
    var events: String?
    var hasSearch = true

    func html(@HTMLBuilder _ content: () -> HTML) -> HTML {
        let strings = context.strings
        let content = content()
        return .document(language: strings.language, isRightToLeft: strings.isRightToLeft) {
            HTML("head") {
                HTML("meta", ["charset": "utf-8"])
                HTML("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
                HTML("meta", ["name": "color-scheme", "content": "light dark"])
                HTML("title") { title.visible ?? strings("Settings") }
                HTML("link", ["rel": "icon", "href": .text("\(context.base)/icon")])
                HTML("link", ["rel": "stylesheet", "href": .text("\(context.files)/style.css?\(context.assets)")])
                HTML("script", ["src": .text("\(context.files)/script.js?\(context.assets)"), "type": "module"])
            }
            HTML(
                "body",
                [
                    "data-events": .optional(events),
                    "data-form": .text(context.path("form", context.search?.fields ?? [])),
                    "data-unreachable": .text(strings("The program can’t be reached. Trying again…")),
                    "data-ended": .text(strings("The session has ended. Use a new link, then load this page again.")),
                    "data-saved": .text(strings("Saved.")),
                    "data-changed": .text(strings("Changed elsewhere in the meantime.")),
                ]
            ) {
                HTML("a", ["class": "skip", "href": "#main"]) { strings("Go to the settings") }
                header
                HTML("main", ["id": "main"]) { content }
                footer
                HTML("p", ["id": "status", "role": "status", "dir": "auto"])
            }
        }
    }

    private var header: HTML {
        HTML("header") {
            if let origin = context.origin {
                HTML("a", ["class": "back", "href": .text(origin)]) { context.strings("Back to the program") }
            }
            if let home = context.home {
                HTML("a", ["href": .text(home)]) { context.strings("All programs") }
            }
            HTML("a", ["class": "home", "href": .text(context.panePath(""))]) {
                if context.contents.hasIcon {
                    HTML("img", ["src": .text("\(context.base)/icon"), "alt": "", "width": "24", "height": "24"])
                }
                HTML("span") { context.strings.isolated(context.programTitle) }
            }
            if hasSearch { search }
        }
    }

    private var search: HTML {
        HTML("form", ["role": "search", "action": .text("\(context.base)/search")]) {
            if let origin = context.origin {
                HTML("input", ["type": "hidden", "name": "return", "value": .text(origin)])
            }
            if context.search?.isChangedOnly == true {
                HTML("input", ["type": "hidden", "name": "changed", "value": "1"])
            }
            HTML(
                "input",
                [
                    "type": "search", "name": "q", "aria-label": .text(context.strings("Search the settings")),
                    "placeholder": .text(context.strings("Search")), "value": .optional(context.search?.text),
                    "dir": "auto",
                ])
            HTML("button", ["class": "quiet"]) { context.strings("Search") }
        }
    }
}
