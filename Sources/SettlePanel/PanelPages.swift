import Settle
import SettleHTTP
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The pages that show settings.
struct PanelPages: Sendable {
    let panel: SettingsPanel
    let context: PageContext

    var strings: PanelStrings { context.strings }

    /// Returns a setting in its current state.
    func form(_ control: Control, _ submission: ControlForm.Submission? = nil) -> ControlForm {
        ControlForm(
            context: context, control: control, state: ControlState(of: control, in: panel.store),
            submission: submission)
    }

    /// Returns a pane with its settings.
    ///
    /// - Parameter submission: The typed input for a setting that was not accepted.
    func pane(
        _ id: String, submission: (control: Control, submission: ControlForm.Submission)? = nil, status: Int = 200
    ) -> PanelResponse {
        guard let pane = context.contents.pane(id) else { return missing }
        let forms = RenderedPage(.pane(id: pane.id), self, submission: submission)
        let document = PanelDocument(context: context, title: pane.title, events: forms.events)
        return .html(
            document.html {
                trail(to: pane)
                HTML("h1") { strings.isolated(pane.title) }
                if pane.sections.isEmpty { HTML("p", ["class": "empty"]) { strings("There are no settings here.") } }
                for section in pane.sections {
                    HTML("section") {
                        if let title = section.title { HTML("h2") { strings.isolated(title) } }
                        HTML("div", ["class": "card"]) {
                            for row in section.rows { self.row(row, forms) }
                        }
                        if let footer = section.footer {
                            HTML("p", ["class": "footer"]) { strings.isolated(footer) }
                        }
                    }
                }
                foot(of: pane)
            }, status: status)
    }

    /// Returns the links below a pane's settings.
    @HTMLBuilder private func foot(of pane: PanelContents.Pane) -> HTML {
        let (isFirst, hasControls) = (pane.id.isEmpty, !pane.controls.isEmpty)
        if hasControls || isFirst && !pane.sections.isEmpty {
            HTML("p", ["class": "foot"]) {
                if isFirst {
                    HTML("a", ["href": .text(context.path("search", ["changed": "1"]))]) {
                        strings("Changed settings")
                    }
                }
                if hasControls {
                    HTML("a", ["href": .text(context.path("reset", ["pane": pane.id]))]) {
                        strings("Reset this page…")
                    }
                }
                if isFirst, !hasControls || context.contents.panes.count > 1 {
                    HTML("a", ["href": .text(context.path("reset"))]) { strings("Reset everything…") }
                }
                if hasControls {
                    HTML("a", ["href": .text(context.path("json", ["pane": pane.id])), "download": .present]) {
                        strings("Download as JSON")
                    }
                }
            }
        }
    }

    private func row(_ row: PanelContents.Row, _ forms: RenderedPage) -> HTML {
        switch row {
        case .control(let control): return forms[control] ?? HTML()
        case .text(let title, let text): return fixed(title, strings.isolated(text))
        case .link(let title, nil): return fixed(title, HTML(strings("Available only in the program itself.")))
        case .link(let title, let address?): return link(title, to: address)
        case .pane(let id, let title): return link(title, to: context.panePath(id))
        }
    }

    /// Returns a row that can't be operated.
    private func fixed(_ title: String, _ content: HTML) -> HTML {
        HTML("div", ["class": "control"]) {
            HTML("div", ["class": "row"]) {
                if let title = title.visible {
                    HTML("div", ["class": "head"]) { HTML("span", ["class": "title"]) { strings.isolated(title) } }
                }
                HTML("div", ["class": "field"]) { HTML("span") { content } }
            }
        }
    }

    private func link(_ title: String, to address: String) -> HTML {
        HTML("a", ["class": "pane", "href": .text(address)]) {
            HTML("span") { strings.isolated(title) }
            HTML("span", ["class": "chevron", "aria-hidden": "true"]) { "›" }
        }
    }

    /// Returns the panes that lead to a pane.
    @HTMLBuilder private func trail(to pane: PanelContents.Pane) -> HTML {
        let parents = ancestors(of: pane)
        if !parents.isEmpty {
            HTML("nav", ["aria-label": .text(strings("Breadcrumbs"))]) {
                HTML("ol") {
                    for parent in parents {
                        HTML("li") {
                            HTML("a", ["href": .text(context.panePath(parent.id))]) { strings.isolated(parent.title) }
                        }
                    }
                    HTML("li", ["aria-current": "page"]) { strings.isolated(pane.title) }
                }
            }
        }
    }

    private func ancestors(of pane: PanelContents.Pane) -> [PanelContents.Pane] {
        var parents: [PanelContents.Pane] = []
        var current = pane
        // A bundle can't make this endless: a pane is listed with the first one that leads to it.
        while let id = current.parent, let parent = context.contents.pane(id), parents.count < 64 {
            parents.insert(parent, at: 0)
            current = parent
        }
        return parents
    }

    /// Returns only the form of a setting, for a page that already shows it.
    ///
    /// - Parameter id: Selects one of several controls of the key.
    func form(of key: String, id: String?) -> PanelResponse {
        guard let key = SettingKey(key), let (_, control) = context.contents.location(of: key, id: id) else {
            return missing
        }
        return .html(rendered(control).html)
    }

    /// Returns a page with the changes that a reset would make, and the button that makes them.
    func question(pane id: String?) -> PanelResponse {
        let pane = id.map { context.contents.pane($0) }
        if let pane, pane == nil { return missing }
        let controls = (pane ?? nil)?.controls ?? context.contents.controls
        let concerned = controls.filter { form($0).isResettable }
        let title = (pane ?? nil).map { strings("Reset “%@”?", $0.title) } ?? strings("Reset everything?")
        return .html(
            PanelDocument(context: context, title: title).html {
                HTML("h1") {
                    if let pane = pane ?? nil {
                        strings.html("Reset “%@”?", strings.isolated(pane.title))
                    } else {
                        title
                    }
                }
                if concerned.isEmpty {
                    HTML("p") { strings("Everything here has its default.") }
                } else {
                    HTML("p") { strings("These settings will be reset to their defaults:") }
                    HTML("ul") { concerned.map { control in HTML("li") { strings.isolated(control.title) } } }
                }
                HTML("form", ["method": "post", "action": .text("\(context.base)/reset"), "class": "question"]) {
                    context.hiddenFields()
                    if let id { HTML("input", ["type": "hidden", "name": "pane", "value": .text(id)]) }
                    if !concerned.isEmpty { HTML("button", ["class": "danger"]) { strings("Reset") } }
                    HTML("a", ["class": "button quiet", "href": .text(context.panePath(id ?? ""))]) {
                        strings("Cancel")
                    }
                }
            })
    }

    var missing: PanelResponse { problem(404, HTML(strings("There is no such page or setting."))) }

    func problem(_ status: Int, _ sentence: HTML) -> PanelResponse {
        .html(
            PanelDocument(context: context, title: strings("Settings")).html {
                HTML("h1") { strings("That did not work") }
                HTML("p", ["class": "problem", "role": "alert"]) { sentence }
                HTML("p") { HTML("a", ["href": .text(context.panePath(""))]) { strings("Go to the settings") } }
            }, status: status)
    }
}

extension PanelContents.Pane: Equatable {
    static func == (left: Self, right: Self) -> Bool { left.id.hasSameBytes(as: right.id) }
}

extension ControlForm {
    /// Whether a reset of many settings includes this one.
    var isResettable: Bool {
        !control.kind.isLabel && state.isStored && !control.isOwners && state.lock == nil
    }
}

/// Images.
extension PanelPages {
    /// Returns an image that a slider names; no other file can be requested.
    func image(_ name: String) -> PanelResponse {
        guard case .bundle(let source) = panel.source, let image = source.bundle.image(named: name) else {
            return missing
        }
        return .image(image)
    }

    /// The program's icon, or a generic one.
    var icon: PanelResponse {
        if case .bundle(let source) = panel.source, let icon = source.bundle.icon { return .image(icon) }
        return .icon
    }
}

extension PanelResponse {
    fileprivate static func image(_ image: SettingsBundle.Image) -> PanelResponse {
        guard let type = image.mediaType else { return .sentence(404, "This is not an image.") }
        return PanelResponse(200, [("Content-Type", type)], .bytes([UInt8](image.data)))
    }
}
