import Foundation

/// Writes a Swift file that holds the text of each file that it is given: `embed-presets OUTPUT INPUT…`.
///
/// Run by the plugin `EmbedPresets` while the package is built.
let arguments = CommandLine.arguments.dropFirst()
guard let output = arguments.first else {
    FileHandle.standardError.write(Data("usage: embed-presets OUTPUT INPUT…\n".utf8))
    exit(64)
}

/// A text as a Swift literal, in which nothing is interpolated.
func literal(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\\", "\"": literal += "\\\(scalar)"
        case " "..."~": literal.unicodeScalars.append(scalar)
        default: literal += "\\u{\(String(scalar.value, radix: 16))}"
        }
    }
    return literal + "\""
}

var source = "/// The files of the folder `Presets`, by their names without `.json`.\nenum PresetFiles {\n"
source += "    static let all: [(name: String, text: String)] = [\n"
do {
    for path in arguments.dropFirst().sorted() {
        let url = URL(filePath: path)
        let name = url.deletingPathExtension().lastPathComponent
        source += "        (\(literal(name)), \(literal(try String(contentsOf: url, encoding: .utf8)))),\n"
    }
    source += "    ]\n}\n"
    try Data(source.utf8).write(to: URL(filePath: output))
} catch {
    FileHandle.standardError.write(Data("embed-presets: \(error)\n".utf8))
    exit(1)
}
