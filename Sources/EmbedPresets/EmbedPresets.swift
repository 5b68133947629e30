import Foundation
import PackagePlugin

/// Builds the JSON files of a target's folder `Presets` into the target, as a table of texts: `PresetFiles.all`.
///
/// A further file in the folder is found at the next build; nothing names it.
@main
struct EmbedPresets: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        let folder = target.directoryURL.appending(path: "Presets")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .sorted { $0.path < $1.path }
        let output = context.pluginWorkDirectoryURL.appending(path: "PresetFiles.swift")
        return [
            .buildCommand(
                displayName: "Embedding \(files.count) presets",
                executable: try context.tool(named: "embed-presets").url,
                arguments: [output.path] + files.map(\.path), inputFiles: files, outputFiles: [output])
        ]
    }
}
