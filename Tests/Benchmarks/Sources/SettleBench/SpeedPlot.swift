import ArgumentParser
import Foundation

/// How long other libraries take for six tasks, compared with Settle, as a picture.
///
/// The axis is logarithmic, and 1 is the time that Settle takes. The same results make the same bytes.
struct SpeedPlot {
    /// Each task in plain words, with the row that measures it. Settle and the peers of these rows have one limit, so the
    /// quotient of their ratios is that of their times.
    private static let tasks: [(name: String, row: String, subject: String)] = [
        ("Read a setting", "R1", "read Int, tracked"),
        ("Write a setting", "R5", "write Int, nobody subscribes, saving on"),
        ("Reach 1,000 subscribers", "R11", "until 1,000 subscribers have it"),
        ("Commit a change to disk", "R16", "durable commit of one key"),
        ("64 commits at once", "R17", "64 commits at once, per commit"),
        ("Open a file of 10 keys", "R19", "open to first value, 10 keys"),
    ]
    /// In the order of their lines. Names of peers begin with these; the others are variants that are not drawn.
    private static let libraries = [PeerName.defaults, PeerName.configuration, PeerName.stream, PeerName.sqlite]

    private struct Line {
        var library: String
        /// How long the library takes, divided by how long Settle takes.
        var ratio: Double
        var isUnsynced: Bool
    }

    private let groups: [(name: String, lines: [Line])]
    private let scale: DecadeScale

    init(_ results: [RowResult]) throws {
        groups = try Self.tasks.map { task in
            guard let result = results.first(where: { $0.id == task.row && $0.subject == task.subject }) else {
                throw ValidationError("The plot needs a measurement of \(task.row), “\(task.subject)”.")
            }
            let lines = Self.lines(of: result)
            let isSound = !lines.isEmpty && lines.allSatisfy { $0.ratio.isFinite && $0.ratio > 0 }
            guard isSound, !result.notes.contains(where: { $0.hasPrefix("WRONG") }) else {
                throw ValidationError("\(task.row), “\(task.subject)”, has no sound figures of other libraries.")
            }
            return (task.name, lines)
        }
        scale = DecadeScale(for: groups.flatMap { $0.lines.map(\.ratio) }, from: 140, to: 300)
    }

    /// Writes the picture for light pages, and beside it, with “~dark” in its name, the one for dark pages.
    func write(to file: URL) throws {
        let name = file.deletingPathExtension().lastPathComponent + "~dark"
        let dark = file.deletingLastPathComponent().appending(path: name).appendingPathExtension(file.pathExtension)
        try Data(svg(.light).utf8).write(to: file)
        try Data(svg(.dark).utf8).write(to: dark)
    }

    private static func lines(of result: RowResult) -> [Line] {
        libraries.compactMap { library in
            guard let peer = result.peers.first(where: { $0.name.hasPrefix(library) }) else { return nil }
            return Line(
                library: library, ratio: peer.ratio / result.ratio, isUnsynced: peer.name.contains("not synced"))
        }
    }
}

extension SpeedPlot {
    private struct Colors {
        let text, faint, grid, slower, faster: String

        static let light = Colors(
            text: "#1f2328", faint: "#59636e", grid: "#d1d9e0", slower: "#0969da", faster: "#bc4c00")
        static let dark = Colors(
            text: "#f0f6fc", faint: "#9198a1", grid: "#3d444d", slower: "#4493f8", faster: "#f0883e")
    }

    private func svg(_ colors: Colors) -> String {
        let (width, top) = (360, 76)
        var body: [String] = []
        var y = top
        for (name, lines) in groups {
            y += 22
            body.append(text(name, x: 8, y: y, colors.text, #"font-weight="600""#))
            for line in lines {
                y += 19
                body += drawing(of: line, y: y, colors)
            }
            y += 6
        }
        let bottom = y + 4
        let isFootnoted = groups.contains { $0.lines.contains(where: \.isUnsynced) }
        if isFootnoted { body.append(text("* syncs nothing", x: 8, y: bottom + 18, colors.faint)) }
        let height = bottom + (isFootnoted ? 26 : 8)
        let fonts = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"
        let size = #"width="\#(width)" height="\#(height)" viewBox="0 0 \#(width) \#(height)""#
        let head: [String] = [
            #"<svg xmlns="http://www.w3.org/2000/svg" \#(size) role="img" font-family="\#(fonts)" font-size="12">"#,
            "<title>How many times as long as Settle other libraries take</title>",
            text("How many times as long others take", x: 8, y: 22, colors.text, #"font-size="15" font-weight="600""#),
            text("as Settle does, on a logarithmic axis", x: 8, y: 40, colors.faint),
        ]
        return (head + axis(from: top, to: bottom, colors) + body + ["</svg>", ""]).joined(separator: "\n")
    }

    private func axis(from top: Int, to bottom: Int, _ colors: Colors) -> [String] {
        scale.decades.flatMap { decade in
            let x = coordinate(scale.position(of: pow(10, Double(decade))))
            let (stroke, fill) = decade == 0 ? (colors.text, colors.text) : (colors.grid, colors.faint)
            let label = decade == 0 ? "Settle" : power(decade)
            return [
                #"<line x1="\#(x)" y1="\#(top)" x2="\#(x)" y2="\#(bottom)" stroke="\#(stroke)"/>"#,
                #"<text x="\#(x)" y="\#(top - 8)" fill="\#(fill)" text-anchor="middle" font-size="11">\#(label)</text>"#,
            ]
        }
    }

    private func drawing(of line: Line, y: Int, _ colors: Colors) -> [String] {
        let (start, end) = (scale.position(of: 1), scale.position(of: line.ratio))
        let (x, width) = (coordinate(min(start, end)), coordinate(abs(end - start)))
        let color = line.ratio < 1 ? colors.faster : colors.slower
        return [
            text(line.library + (line.isUnsynced ? "*" : ""), x: 16, y: y, colors.faint),
            #"<rect x="\#(x)" y="\#(y - 9)" width="\#(width)" height="9" fill="\#(color)"/>"#,
            text(figure(line.ratio) + " ×", x: 352, y: y, color, #"text-anchor="end" font-weight="600""#),
        ]
    }

    private func text(_ text: String, x: Int, y: Int, _ color: String, _ attributes: String = "") -> String {
        let attributes = attributes.isEmpty ? "" : " " + attributes
        return #"<text x="\#(x)" y="\#(y)" fill="\#(color)"\#(attributes)>\#(text)</text>"#
    }

    private func figure(_ ratio: Double) -> String {
        switch ratio {
        case 10...: String(format: "%.0f", ratio)
        case 1...: String(format: "%.1f", ratio)
        default: String(format: "%.2f", ratio)
        }
    }

    /// A power of ten, in digits.
    private func power(_ exponent: Int) -> String {
        exponent < 0
            ? "0." + String(repeating: "0", count: -exponent - 1) + "1" : "1" + String(repeating: "0", count: exponent)
    }

    private func coordinate(_ value: Double) -> String { String(format: "%.1f", value) }
}

/// A logarithmic scale over whole powers of ten, from 0.1 or less to 10 or more.
private struct DecadeScale {
    let decades: ClosedRange<Int>
    private let left: Double
    private let right: Double

    init(for ratios: [Double], from left: Double, to right: Double) {
        let exponents = ratios.map { log10($0) }
        let low = Int((exponents.min() ?? 0).rounded(.down))
        let high = Int((exponents.max() ?? 0).rounded(.up))
        decades = min(-1, low)...max(1, high)
        (self.left, self.right) = (left, right)
    }

    func position(of ratio: Double) -> Double {
        left + (log10(ratio) - Double(decades.lowerBound)) / Double(decades.count - 1) * (right - left)
    }
}
