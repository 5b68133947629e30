package import Wire

/// The description of a published SDK that comes with the program: a file of the folder `Presets`.
///
/// Its JSON is what a scenario could say itself. It has paths, and never a host.
package struct SDKPreset: Sendable {
    /// The product and its platform, such as `posthog-ios`.
    package let name: String
    package let version: String
    package let description: JSONNode

    /// Every preset, by name and then by version, both as texts.
    package static let all: [SDKPreset] = PresetFiles.all.map { SDKPreset(file: $0.name, text: $0.text) }
        .sorted { ($0.name, $0.version) < ($1.name, $1.version) }

    /// Name and version, with a space between.
    package var label: String { "\(name) \(version)" }

    /// The names, each once.
    package static var names: [String] {
        all.reduce(into: []) { if $0.last != $1.name { $0.append($1.name) } }
    }

    /// The presets of a name; none for an unknown one.
    package static func versions(of name: String) -> [SDKPreset] { all.filter { $0.name == name } }

    /// A file that is no description cannot come with the program: the tests read all of them.
    private init(file: String, text: String) {
        guard let node = try? JSONReader.readStrictly(Array(text.utf8)), let name = node["name"]?.string,
            let version = node["version"]?.string
        else { preconditionFailure("the preset \(file) is JSON with a name and a version") }
        self.name = name
        self.version = version
        description = node
    }
}
