import Reporting
import Scenario
import Wire

/// Finds what a user wants compared.
enum ComparedSide {
    /// Reads one side.
    ///
    /// - Parameters:
    ///   - path: A run's folder or report, a committed baseline, or `RUN/variants/NAME`.
    ///   - variant: Which variant is meant where there are several; `nil` for `base`, or the only one.
    ///   - option: What chooses the variant, for messages.
    /// - Throws: ``CommandFailure`` with code 64 if there is no such run or variant, 104 for what cannot be compared.
    static func read(_ path: String, variant: String?, option: String) throws(CommandFailure)
        -> Comparison.Side
    {
        let path = trimmed(path)
        if let part = try part(path) {
            return try side(of: part.lab, variant ?? part.name, label: path, run: part.root, option: option)
        }
        if let lab = try RunReader.lab(path) {
            let only = lab.variants.count == 1 ? lab.variants[0].name : lab.baseName
            let name = variant ?? only
            let label = lab.variants.count == 1 ? path : "\(path)/variants/\(name)"
            return try side(of: lab, name, label: label, run: path, option: option)
        }
        if let variant {
            throw CommandFailure(.usage, "\(option) \(variant): \(path) is a single run, without variants")
        }
        return try single(path)
    }

    /// Two variants of one run. Without names: `base`, or the first where none is called so, and the only other.
    ///
    /// - Throws: ``CommandFailure`` with code 64 where there are not two, 104 for what cannot be compared.
    static func pair(
        _ path: String, base: String?, candidate: String?
    ) throws(CommandFailure) -> (Comparison.Side, Comparison.Side) {
        let path = trimmed(path)
        if let alone = try variantAlone(path) { throw alone }
        guard let lab = try RunReader.lab(path) else {
            // What is no run at all is told as that.
            _ = try RunReader.read(path)
            throw CommandFailure(
                .usage, "\(path) is a single run: name what it is to be compared with, or a run with variants"
            )
        }
        let own = base ?? lab.baseName
        let others = lab.variants.map(\.name).filter { $0 != own }
        guard let name = candidate ?? (others.count == 1 ? others[0] : nil) else {
            throw CommandFailure(
                .usage,
                others.isEmpty
                    ? "\(path) has no variant but \(own): name a second run that is to be held against it"
                    : "\(path): which variant is to be held against \(own)? Name it with --candidate: "
                        + others.joined(separator: ", "))
        }
        let sides = (
            try side(of: lab, own, label: own, run: path, option: "--base"),
            try side(of: lab, name, label: name, run: path, option: "--candidate")
        )
        guard name != own else {
            let isFirst = base == nil && own != VariantName.base
            throw CommandFailure(
                .usage,
                "\(path): base \(own) and candidate \(name) are one variant, which is never worse than itself; "
                    + (others.isEmpty
                        ? "name a second run that is to be held against it"
                        : "allowed as --candidate: \(others.joined(separator: ", "))")
                    + (isFirst ? " (of a run without a variant base, the first is the base)" : ""))
        }
        return sides
    }

    /// What is wrong with `RUN/variants/NAME` and nothing beside it: one of its simulations would be no comparison either.
    private static func variantAlone(_ path: String) throws(CommandFailure) -> CommandFailure? {
        guard let (lab, root, name) = try part(path), lab.variants.contains(where: { $0.name == name }) else {
            return nil
        }
        let others = lab.variants.map(\.name).filter { $0 != name }
        let other = others.contains(lab.baseName) ? lab.baseName : others.first
        return CommandFailure(
            .usage,
            "\(path) is one variant of a run: name it and what it is to be compared with"
                + (other.map { ", such as \(root)/variants/\($0)" } ?? ""))
    }

    private static func trimmed(_ path: String) -> String {
        path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// What `RUN/variants/NAME` is a part of; `nil` for every other path, a run of its own in such a place among them.
    ///
    /// - Throws: ``CommandFailure`` with what is wrong with the report of `RUN`, if it has one that cannot be read.
    private static func part(
        _ path: String
    ) throws(CommandFailure) -> (lab: LabReport, root: String, name: String)? {
        guard let (root, name) = split(path), RunReader.hasReport(root) else { return nil }
        do throws(CommandFailure) {
            if let lab = try RunReader.lab(root) { return (lab, root, name) }
            // One that is damaged is told; a single run has no variants.
            _ = try RunReader.read(root)
        } catch {
            guard RunReader.hasReport(path) else { throw error }
        }
        return nil
    }

    /// Divides `RUN/variants/NAME`.
    private static func split(_ path: String) -> (root: String, name: String)? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[parts.count - 2] == "variants" else { return nil }
        return (parts.dropLast(2).joined(separator: "/"), String(parts[parts.count - 1]))
    }

    private static func side(
        of lab: LabReport, _ name: String, label: String, run: String, option: String
    ) throws(CommandFailure) -> Comparison.Side {
        if let missing = lab.missingParts {
            throw CommandFailure(
                .invalidScenario, "\(run): what is not whole cannot be compared. \(missing)")
        }
        if lab.isPartial {
            // What is still going on has no report yet, only one so far.
            let isOver = run.hasSuffix("report.json") || OutputFile.exists("\(run)/report.json")
            throw isOver ? cut(run, "the series was broken off") : unfinished(run)
        }
        guard let side = lab.side(name, label: label, run: run) else {
            let names = lab.variants.map(\.name)
            let nearest =
                NameDistance.nearest(to: name, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
            throw CommandFailure(
                .usage,
                "\(option) \(name): not a variant of this run; allowed: \(names.joined(separator: ", "))\(nearest)"
            )
        }
        return side
    }

    private static func unfinished(_ path: String) -> CommandFailure {
        cut(path, "broke off, or is still going on")
    }

    private static func cut(_ path: String, _ why: String) -> CommandFailure {
        CommandFailure(.invalidScenario, "\(path): \(why): what is not whole cannot be compared")
    }

    private static func single(_ path: String) throws(CommandFailure) -> Comparison.Side {
        let single = try RunReader.cell(path)
        let report = single.report
        if report.isPartial { throw unfinished(path) }
        if report.isInterrupted { throw cut(path, "was interrupted") }
        return Comparison.Side(
            label: path, variant: VariantName.base, toolVersion: report.toolVersion,
            scenario: report.scenario,
            resolved: try scenario(beside: path), mode: report.mode, bodies: single.bodies,
            cells: [single.cell])
    }

    /// The scenario that a run's folder keeps, without its seed; null where none is kept.
    ///
    /// - Throws: ``CommandFailure`` with code 104 for one that cannot be read. Beside a report with a name of its
    ///   own it may be anybody's.
    private static func scenario(beside path: String) throws(CommandFailure) -> JSONNode {
        var folder = path
        if RunReader.namesFile(path) {
            folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
                separator: "/")
            if folder.isEmpty { folder = path.hasPrefix("/") ? "/" : "." }
        }
        let file = "\(folder)/scenario.json"
        guard OutputFile.exists(file) else { return .null }
        do throws(CommandFailure) {
            let node = try RunReader.document(file)
            guard node.members != nil else {
                throw CommandFailure(.invalidScenario, "\(file): no scenario: expected an object")
            }
            return node.withoutSeed
        } catch {
            let isOwn = !RunReader.namesFile(path) || path == "report.json" || path.hasSuffix("/report.json")
            guard !isOwn else { throw error }
            return .null
        }
    }
}
