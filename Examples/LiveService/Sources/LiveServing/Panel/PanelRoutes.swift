import Hummingbird
import Settle
import SettlePanel

/// Ways to the page of settings, which the panel serves itself below its own path.
struct PanelRoutes: Sendable {
    let panel: SettingsPanel

    static let path = "/settings/panel"

    var endpoints: [Endpoint] { [home, link] }

    /// A page of the program, from which a person gets to the settings and back.
    private var home: Endpoint {
        let operation = Operation(
            method: .get, path: "/", summary: "A page with a link to the settings",
            answers: [.text("The page.", as: "text/html")])
        return Endpoint(operation: operation) { _, _ in
            Response(
                status: .ok,
                headers: [
                    .contentType: "text/html; charset=utf-8", .contentSecurityPolicy: "default-src 'none'",
                    .cacheControl: "no-store",
                ], body: ResponseBody(byteBuffer: ByteBuffer(string: Self.page)))
        }
    }

    private static let page = """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>Live service</title></head>
        <body><h1>Live service</h1><p>It runs. <a href="\(path)/?return=/">Settings</a></p></body></html>

        """

    private var link: Endpoint {
        let operation = Operation(
            method: .post, path: "/settings/panel-links", summary: "Makes a link that lets one browser in, once",
            access: .admin,
            answers: [.ok("The path and query of the link, to be put behind the address.", .object(["link": .string]))])
        return Endpoint(operation: operation) { _, context in
            Response(json: ["link": .string(panel.makeLink(for: context.author, returningTo: "/"))])
        }
    }
}
