import SettleTesting
import Testing

@testable import SettlePanel

/// What two pieces of HTML have in common, and what is other.
@Suite struct HTMLDifferencesTests {
    private func field(_ value: String, isOn: Bool = false, _ text: String = "text", token: String = "t") -> HTML {
        HTML("form", ["id": "f"]) {
            HTML("input", ["type": "hidden", "name": "token", "value": .text(token)])
            HTML("p") {
                "before"
                HTML("br", [:])
                text
            }
            HTML("input", ["type": "text", "name": "value", "value": .text(value), "checked": .flag(isOn)])
        }
    }

    @Test func `The same element differs in nothing`() {
        #expect(HTMLDifferences(from: field("x"), to: field("x"))?.changes == [])
        #expect(HTMLDifferences(from: field("x"), to: field("x"))?.elementCount == 5)
    }

    @Test func `A value, a flag and a text are told with their places`() {
        let found = HTMLDifferences(from: field("x"), to: field("y", isOn: true, "other"))
        #expect(
            found?.changes == [
                .text(element: 2, child: 2, text: "other"), .attribute(element: 4, name: "value", value: "y"),
                .attribute(element: 4, name: "checked", value: ""),
            ])
        let back = HTMLDifferences(from: field("x", isOn: true), to: field("x"))
        #expect(back?.changes == [.attribute(element: 4, name: "checked", value: nil)])
    }

    @Test(arguments: ["<b> & \"c\" > 'd'", "&amp;", "&amp;#39;", "\r\n", "é😀", "=\"", "a b=c", "&", "\u{FFFD}"])
    func `What is escaped is told as it was`(text: String) {
        let found = HTMLDifferences(from: field("x"), to: field(text, text))
        #expect(
            found?.changes == [
                .text(element: 2, child: 2, text: text), .attribute(element: 4, name: "value", value: text),
            ])
    }

    @Test func `A field that is left out is another in vain, and others are not`() {
        let (old, new) = (field("x", token: "1"), field("y", token: "2"))
        let all = HTMLDifferences(from: old, to: new)
        #expect(all?.changes.first == .attribute(element: 1, name: "value", value: "2"))
        let rest = HTMLDifferences(from: old, to: new, leavingOut: ["token"])
        #expect(rest?.changes == [.attribute(element: 4, name: "value", value: "y")])
    }

    @Test func `Other elements, or texts that come and go, can't be told`() {
        let pairs: [(HTML, HTML)] = [
            (HTML("p") { "x" }, HTML("b", [:]) { "x" }), (HTML("p") { "x" }, HTML("p", [:])),
            (HTML("p", [:]), HTML("p") { "x" }),
            (HTML("p") { "x" }, HTML("p") { HTML("br", [:]) }), (HTML("p") { HTML("br", [:]) }, HTML("p", [:])),
            (HTML("p", [:]), HTML("p") { HTML("br", [:]) }),
            (HTML("p") { HTML("b", [:]) }, HTML("p") { [HTML("b", [:]), HTML("b", [:])] }),
            (HTML("input", ["type": "text", "value": "1"]), HTML("input", ["type": "number", "value": "1"])),
            (HTML("input", ["type": "text"]), HTML("input", ["value": "1"])),
            (HTML("input", ["type": "text", "value": "1"]), HTML("input", ["type": "text"])),
            (HTML("input", ["type": "text"]), HTML("input", ["type": "text", "value": ""])),
            (HTML("p", [:]), HTML([HTML("p", [:]), HTML("p", [:])])),
            (HTML([HTML("p", [:]), HTML("p", [:])]), HTML("p", [:])),
            (HTML("p", [:]), HTML()), (HTML(), HTML("p", [:])), (HTML("p", [:]), HTML("x", [:])),
        ]
        for (old, new) in pairs {
            #expect(HTMLDifferences(from: old, to: new) == nil, "\(old.text) \(new.text)")
        }
    }

    // MARK: Random trees

    /// A tree whose elements and texts depend on one generator, and what is in them on another.
    private func tree(
        _ shape: inout SeededGenerator, _ contents: inout SeededGenerator, depth: Int = 0
    ) -> HTML {
        let texts = ["x", "y", "\"", "<b>", "&amp;", "a b", "é", "\r", "\n", "'", "=", "/", ">"]
        func text(_ contents: inout SeededGenerator) -> String {
            (0..<Int.random(in: 1...3, using: &contents))
                .map { _ in texts.randomElement(using: &contents) ?? "" }.joined()
        }
        var attributes: [HTML.Attribute] = []
        for _ in 0..<4 {
            let kind = Int.random(in: 0..<4, using: &contents)
            attributes.append(kind == 0 ? .absent : kind == 1 ? .present : .text(text(&contents)))
        }
        let named: HTML.Attributes = [
            "id": attributes[0], "checked": attributes[1], "title": attributes[2], "aria-label": attributes[3],
        ]
        if Int.random(in: 0..<4, using: &shape) == 0 {
            return HTML(["br", "img", "input"].randomElement(using: &shape) ?? "br", named)
        }
        let name = (["p", "div", "span", "b"] as [StaticString]).randomElement(using: &shape) ?? "p"
        var children: [HTML] = []
        var isText = false
        for _ in 0..<(depth < 4 ? Int.random(in: 0..<5, using: &shape) : 0) {
            // Two texts in a row would be one.
            isText = !isText && Bool.random(using: &shape)
            children.append(isText ? HTML(text(&contents)) : tree(&shape, &contents, depth: depth + 1))
        }
        return HTML(name, named) { children }
    }

    private func isApplied(_ found: HTMLDifferences, from old: HTML, to new: HTML) -> Bool {
        let page = HTMLNode(element: old.text)
        let elements = page.elements
        guard elements.count == found.elementCount else { return false }
        for change in found.changes {
            switch change {
            case .attribute(let element, let name, let value): elements[element].attributes[name] = value
            case .text(let element, let child, let text): elements[element].children[child].text = text
            }
        }
        return page.description == HTMLNode(element: new.text).description
    }

    @Test func `Differences make the old element the new one, whatever is in it`() {
        var seeds = SeededGenerator()
        for _ in 0..<500 {
            let shape = SeededGenerator(seed: seeds.next())
            var (first, second) = (shape, shape)
            let old = HTML("form") { tree(&first, &seeds) }
            let new = HTML("form") { tree(&second, &seeds) }
            let found = HTMLDifferences(from: old, to: new)
            #expect(found.map { isApplied($0, from: old, to: new) } == true, "\(seeds.seed): \(old.text) \(new.text)")
        }
    }

    @Test func `Elements of other shapes are either told right or not at all`() {
        var seeds = SeededGenerator()
        var told = 0
        for _ in 0..<2_000 {
            var (first, second) = (SeededGenerator(seed: seeds.next()), SeededGenerator(seed: seeds.next()))
            let (old, new) = (tree(&first, &seeds, depth: 3), tree(&second, &seeds, depth: 3))
            guard let found = HTMLDifferences(from: old, to: new) else { continue }
            told += 1
            #expect(isApplied(found, from: old, to: new), "\(seeds.seed): \(old.text) \(new.text)")
        }
        #expect(told > 10)
    }
}
