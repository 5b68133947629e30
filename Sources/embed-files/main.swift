import Foundation

/// Writes a Swift file with the text of each JSON file in a folder and in those below it: `embed-files OUTPUT NAME FOLDER`.
///
/// Run by the plugin `EmbedFiles` while the package is built.
let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 3 else {
    FileHandle.standardError.write(Data("usage: embed-files OUTPUT NAME FOLDER\n".utf8))
    exit(64)
}
let (output, table, folder) = (arguments[0], arguments[1], arguments[2])

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

var source = "/// The JSON files of a folder, schemas left out, by their paths in it without `.json`.\n"
source += "enum \(table) {\n    static let all: [(name: String, text: String)] = [\n"
do {
    // What is made from the program itself is not built into it.
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(".json") && !$0.hasSuffix(".schema.json") }
    for path in paths.sorted() {
        let text = try String(contentsOf: URL(filePath: folder).appending(path: path), encoding: .utf8)
        source += "        (\(literal(String(path.dropLast(".json".count)))), \(literal(text))),\n"
    }
    source += "    ]\n}\n"
    // What has not changed stays as old as it was: this tool is linked anew for another product of the package, and the
    // targets that hold the table need not be compiled for that.
    let made = Data(source.utf8)
    if (try? Data(contentsOf: URL(filePath: output))) != made { try made.write(to: URL(filePath: output)) }
} catch {
    FileHandle.standardError.write(Data("embed-files: \(error)\n".utf8))
    exit(1)
}
