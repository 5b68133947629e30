import Foundation
import PackagePlugin

/// Builds the JSON files of a folder into a target, as a table of texts, so that the program needs no files beside it.
///
/// A further file in such a folder is found at the next build; nothing names it.
@main
struct EmbedFiles: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        let (folder, name) = try table(of: target, in: context.package)
        let output = context.pluginWorkDirectoryURL.appending(path: "\(name).swift")
        // Folders among the inputs (they have no extension): what is new in one is found although nobody named it.
        let inputs = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
            .map { folder.appending(path: $0) }
            .filter { ["json", ""].contains($0.pathExtension) }
        return [
            .buildCommand(
                displayName: "Embedding \(folder.lastPathComponent)",
                executable: try context.tool(named: "embed-files").url,
                arguments: [output.path, name, folder.path], inputFiles: [folder] + inputs,
                outputFiles: [output])
        ]
    }

    /// The folder that is built into a target, and the name of the table.
    private func table(of target: any Target, in package: Package) throws -> (folder: URL, name: String) {
        switch target.name {
        case "SDKDescription": (target.directoryURL.appending(path: "Presets"), "PresetFiles")
        case "Beaconswarm": (package.directoryURL.appending(path: "scenarios"), "ScenarioFiles")
        default: throw UnknownTarget(description: "no folder is built into \(target.name)")
        }
    }
}

private struct UnknownTarget: Error, CustomStringConvertible {
    let description: String
}
