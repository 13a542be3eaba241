import Settle
import SettleHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PanelPages {
    /// The number of history entries on a page.
    private static let historyLimit = 20

    /// Returns the page with the source of a setting's value, and its history: first what every user asks, in plain
    /// sentences. Keys, domains and file locations are for developers, behind a disclosure.
    func why(_ text: String) async -> PanelResponse {
        guard let key = SettingKey(text), let (pane, control) = context.contents.location(of: key) else {
            return missing
        }
        let explanation = panel.store.keys.explanation(forKey: key)
        let history = control.isSecret ? .success([]) : await history(of: control)
        return .html(
            PanelDocument(context: context, title: control.title).html {
                HTML("nav", ["aria-label": .text(strings("Breadcrumbs"))]) {
                    HTML("a", ["href": .text("\(context.panePath(pane.id))#\(control.id)")]) {
                        strings.isolated(pane.title)
                    }
                }
                HTML("h1") { strings.isolated(control.title) }
                HTML("h2") { strings("Where the value comes from") }
                source(explanation, control, lastChange(explanation, history))
                HTML("h2") { strings("History") }
                entries(history, control)
                HTML("details") {
                    HTML("summary") { strings("For developers") }
                    HTML("p", ["class": "key"]) { HTML("code", ["dir": "ltr"]) { key.description } }
                    answers(explanation, control)
                }
            })
    }

    /// Returns the value with its source, and who changed it last and when.
    private func source(
        _ explanation: Explanation, _ control: Control, _ change: (time: Date, author: String?)?
    ) -> HTML {
        let state = ControlState(of: control, in: panel.store)
        return HTML("div", ["class": "card source"]) {
            HTML("p", ["class": "value"]) {
                if control.isSecret {
                    state.isSet ? strings("Is set") : strings("Not set")
                } else {
                    shown(explanation.value ?? control.defaultValue, control)
                }
            }
            HTML("p") {
                sentence(for: explanation.domain, hasUnusable: state.unusable != nil)
                if explanation.answers.contains(where: \.locksKey) {
                    " "
                    strings("It is locked, so it can’t be changed here.")
                }
            }
            if let unusable = state.unusable { HTML("p") { control.note(about: unusable, strings) } }
            if let change {
                HTML("p") {
                    strings.html("Last changed: %@", strings.code(SettingValue.date(change.time).spelledForPeople))
                    if let author = change.author {
                        ", "
                        strings.html("by “%@”", strings.isolated(author))
                    }
                }
            }
        }
    }

    /// - Parameter hasUnusable: Whether another value is stored that can't be used.
    private func sentence(for domain: DomainName, hasUnusable: Bool) -> HTML {
        switch domain {
        case .declaration, .registration, .language:
            HTML(
                hasUnusable
                    ? strings("This is the default.")
                    : strings("This is the default. Nobody has chosen another value."))
        case .application: HTML(strings("This value was chosen in these settings."))
        case .managed: HTML(strings("An administrator has set this value."))
        default:
            strings.html(
                "This value does not come from these settings, but from: %@.",
                strings.isolated(strings.name(of: domain)))
        }
    }

    private func answers(_ explanation: Explanation, _ control: Control) -> HTML {
        HTML("div", ["class": "card scroll"]) {
            HTML("table") {
                HTML("thead") {
                    HTML("tr") {
                        for title in ["Source", "Value", "", "Place"] {
                            HTML("th", ["scope": "col"]) { strings(title) }
                        }
                    }
                }
                HTML("tbody") {
                    for answer in explanation.answers {
                        HTML("tr", ["class": .optional(answer.outcome == .inForce ? "force" : nil)]) {
                            HTML("td") { strings.isolated(strings.name(of: answer.domain)) }
                            HTML("td") {
                                control.isSecret
                                    ? HTML("••••") : answer.value.map { control.shown($0, strings) } ?? HTML()
                            }
                            HTML("td") { outcome(answer, isSecret: control.isSecret) }
                            HTML("td") { strings.english(answer.place) }
                        }
                    }
                }
            }
        }
    }

    @HTMLBuilder private func outcome(_ answer: Explanation.Answer, isSecret: Bool) -> HTML {
        switch answer.outcome {
        case .inForce: strings("in force")
        case .covered: strings("covered")
        case .refused: strings.html("refused: %@", strings.english(isSecret ? "" : answer.problem ?? ""))
        case .ignored: strings("ignored")
        }
        if answer.locksKey { ", " + strings("locks it") }
    }

    private func history(of control: Control) async -> Result<[HistoryEntry], any Error> {
        var entries: [HistoryEntry] = []
        do {
            for try await entry in panel.store.history.entries(of: control.key, limit: Self.historyLimit) {
                entries.append(entry)
            }
            return .success(entries)
        } catch {
            return .failure(error)
        }
    }

    /// Returns who last changed the value, and when; `nil` if that is unknown.
    ///
    /// The store knows it only of settings that a group in this program declares. The settings of another program have
    /// their history, which is that of the application's own domain: it says nothing about a value of another domain.
    private func lastChange(
        _ explanation: Explanation, _ history: Result<[HistoryEntry], any Error>
    ) -> (time: Date, author: String?)? {
        if let change = explanation.change { return (change.time, change.author) }
        let domains: [DomainName] = [.application, .registration, .language, .declaration]
        guard domains.contains(explanation.domain), let entry = try? history.get().first, entry.isKnown else {
            return nil
        }
        return (entry.time, entry.author.name)
    }

    @HTMLBuilder private func entries(
        _ history: Result<[HistoryEntry], any Error>, _ control: Control
    ) -> HTML {
        switch history {
        case .failure: HTML("p", ["class": "empty"]) { strings("No history is kept.") }
        case .success(let entries) where entries.isEmpty:
            HTML("p", ["class": "empty"]) {
                control.isSecret ? strings("The history of a secret is not shown.") : strings("No changes are known.")
            }
        case .success(let entries):
            HTML("ol", ["class": "card history"]) { entries.map { entry($0, control) } }
        }
    }

    private func shown(_ value: SettingValue?, _ control: Control) -> HTML {
        value.map { control.shown($0, strings) } ?? HTML(strings("Not set"))
    }

    private func entry(_ entry: HistoryEntry, _ control: Control) -> HTML {
        HTML("li") {
            HTML("p") {
                HTML("time", ["dir": "ltr"]) { SettingValue.date(entry.time).spelledForPeople }
                if let author = entry.author.name {
                    " · "
                    strings.isolated(author)
                }
                " · \(strings.name(of: entry.origin))"
            }
            for change in entry.changes {
                HTML("p", ["class": "change"]) {
                    HTML("del") { shown(change.oldValue, control) }
                    " → "
                    HTML("ins") { shown(change.newValue, control) }
                }
            }
            if !control.isOwners {
                HTML("form", ["method": "post", "action": .text("\(context.base)/undo")]) {
                    context.hiddenFields(["token": entry.token.description, "key": control.key.description])
                    HTML("button", ["class": "quiet"]) {
                        strings("Undo")
                        HTML("span", ["class": "hidden"]) { " \(SettingValue.date(entry.time).spelledForPeople)" }
                    }
                }
            }
        }
    }
}
