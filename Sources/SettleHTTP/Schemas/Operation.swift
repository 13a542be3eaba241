import Settle

/// The input and the answers of a route. Routing, the check of the query and the OpenAPI document are made from it.
struct Operation: Sendable {
    struct Parameter: Sendable {
        enum Location: String, Sendable {
            case path, query, header
        }

        let name: String
        let location: Location
        let description: String
        let schema: Schema

        static func path(_ name: String, _ description: String, _ schema: Schema = .string) -> Parameter {
            Parameter(name: name, location: .path, description: description, schema: schema)
        }

        static func query(_ name: String, _ description: String, _ schema: Schema = .string) -> Parameter {
            Parameter(name: name, location: .query, description: description, schema: schema)
        }

        static func header(_ name: String, _ description: String) -> Parameter {
            Parameter(name: name, location: .header, description: description, schema: .string)
        }
    }

    struct Answer: Sendable {
        let status: Int
        let description: String
        /// The body's schema by media type; empty for an answer without a body.
        var contents: [(mediaType: String, schema: Schema)]

        static func ok(_ description: String, _ schema: Schema) -> Answer {
            .json(200, description, schema)
        }

        static func json(_ status: Int, _ description: String, _ schema: Schema) -> Answer {
            Answer(status: status, description: description, contents: [("application/json", schema)])
        }

        static func text(_ description: String, as mediaTypes: String...) -> Answer {
            let contents = mediaTypes.map { (mediaType: $0, schema: Schema.string) }
            return Answer(status: 200, description: description, contents: contents)
        }

        static func empty(_ status: Int, _ description: String) -> Answer {
            Answer(status: status, description: description, contents: [])
        }

        static func problem(_ status: Int, _ description: String) -> Answer {
            Answer(
                status: status, description: description,
                contents: [("application/problem+json", .component("Problem"))])
        }
    }

    let method: String
    /// The path below that of the API, with parameters in braces.
    let path: String
    /// A name for generated clients, such as `patchSetting`.
    let name: String
    let summary: String
    var parameters: [Parameter] = []
    /// The body's schema by media type; empty for an operation without a body.
    var body: [(mediaType: String, schema: Schema)] = []
    let answers: [Answer]

    /// The names of the query's parameters.
    var queryNames: [String] { parameters.filter { $0.location == .query }.map(\.name) }
}
