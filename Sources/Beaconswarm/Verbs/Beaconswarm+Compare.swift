import Rendering
import Reporting

extension Beaconswarm {
    /// Holds two policies side by side: prints every figure with its difference, and judges.
    ///
    /// - Returns: ``CommandStatus/thresholdFailed`` if a gate fails.
    /// - Throws: ``CommandFailure`` with code 64 for runs, variants, gates or formats that do not exist, 104 if the
    ///   scenarios differ in more than their policies.
    public static func compare(_ options: CompareOptions) throws -> CommandStatus {
        if let format = options.format, !CompareOptions.formats.contains(format) {
            throw CommandFailure(
                .usage,
                "--format \(format): not a format; allowed: \(CompareOptions.formats.joined(separator: ", "))"
            )
        }
        let request = try ComparisonRequest(options)
        let (base, candidate) = try sides(options)
        try check(request, base.cells + candidate.cells)
        let comparison = Comparison(base: base, candidate: candidate, request: request)
        try check(comparison, options)
        if let out = options.out { try write(comparison, to: out) }
        if !options.quiet { show(comparison, options) }
        // Where the result says nothing, or is in a form that has no room for them.
        if options.quiet || options.format == "junit" {
            for warning in comparison.warnings { Console.error("warning: \(Escaping.line(warning))") }
        }
        if options.quiet, comparison.exitCode != 0 {
            Console.error("failed: \(Escaping.line(ComparisonText.verdict(comparison)))")
        }
        return CommandStatus(rawValue: comparison.exitCode) ?? .internalError
    }

    private static func sides(
        _ options: CompareOptions
    ) throws(CommandFailure) -> (Comparison.Side, Comparison.Side) {
        guard let candidate = options.candidate else {
            return try ComparedSide.pair(
                options.base, base: options.baseVariant, candidate: options.candidateVariant)
        }
        return (
            try ComparedSide.read(options.base, variant: options.baseVariant, option: "--base"),
            try ComparedSide.read(candidate, variant: options.candidateVariant, option: "--candidate")
        )
    }

    /// Refuses gates and least effects of populations and entries that neither side has: they would judge nothing.
    private static func check(
        _ request: ComparisonRequest, _ cells: [LabReport.Cell]
    ) throws(CommandFailure) {
        let asked =
            request.gates.map { ("--gate \($0.text)", $0.figure) }
            + request.leastEffects.map { ("--min-effect \($0.figure.name)", $0.figure) }
        let known = FigureTags(of: cells)
        for (option, figure) in asked {
            guard let error = figure.missingTag(in: known) else { continue }
            throw CommandFailure(.usage, "\(option): \(error)")
        }
    }

    /// Refuses what is no comparison of policies.
    private static func check(_ comparison: Comparison, _ options: CompareOptions) throws(CommandFailure) {
        let refused = comparison.differences.filter { !$0.isAllowed }
        guard !refused.isEmpty, !options.allowsDifferent else { return }
        let lines = ComparisonText.lines(refused).map { "  \($0)" }
        throw CommandFailure(
            .invalidScenario,
            ([
                "the scenarios differ in more than their policies, so a difference of figures would say nothing of them:"
            ]
                + lines + [
                    "allowed are differences in populations.*.{sdk,system,version}, name, description, thresholds and "
                        + "seed; compare all the same with --allow-different"
                ]).joined(separator: "\n"))
    }

    private static func show(_ comparison: Comparison, _ options: CompareOptions) {
        guard let format = options.format else {
            let colored = options.color && Host.outputIsTerminal && Host.allowsColor
            return Console.output(
                ComparisonText.render(comparison, color: colored, width: Host.outputWidth))
        }
        Console.output(bytes(of: comparison, as: format))
    }

    private static func bytes(of comparison: Comparison, as format: String) -> [UInt8] {
        switch format {
        case "html": ComparisonHTML.write(comparison)
        case "md": ComparisonMarkdown.render(comparison)
        case "junit": ComparisonJUnit.render(comparison)
        default: ComparisonJSON.write(comparison)
        }
    }

    /// Nothing is left of the folder where not all of it can be written: the same command makes it again.
    private static func write(_ comparison: Comparison, to path: String) throws(CommandFailure) {
        let folder = try RunFolder(creating: path)
        let names = [
            "json": "compare.json", "html": "compare.html", "md": "compare.md", "junit": "junit.xml",
        ]
        do throws(CommandFailure) {
            for format in CompareOptions.formats.reversed() {
                guard let name = names[format] else { continue }
                try OutputFile.write(bytes(of: comparison, as: format), to: folder.file(name))
            }
        } catch {
            folder.delete()
            throw error
        }
    }
}

extension ComparisonRequest {
    /// Reads what the user asks for.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for a gate or a least effect that is none.
    init(_ options: CompareOptions) throws(CommandFailure) {
        self.init()
        isStrict = options.isStrict
        for text in options.gates {
            do throws(ThresholdError) {
                gates.append(try Gate.parse(text))
            } catch {
                throw CommandFailure(.usage, "--gate \(text): \(error)")
            }
        }
        for text in options.leastEffects {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let value = ComparisonRequest.share(parts[1]) else {
                throw CommandFailure(
                    .usage,
                    "--min-effect \(text): expected METRIC=X, X a share such as 0.02 or 2%: of the base's mean, or for "
                        + "rates the difference itself")
            }
            let figure: Figure
            do throws(ThresholdError) {
                figure = try Figure.parse(parts[0])
            } catch {
                throw CommandFailure(.usage, "--min-effect \(text): \(error)")
            }
            guard !figure.isShare || value <= 1 else {
                throw CommandFailure(
                    .usage, "--min-effect \(text): found '\(parts[1])', allowed: \(Gate.share)")
            }
            leastEffects.append((figure, value))
        }
    }

    private static func share(_ text: String) -> Double? {
        let isPercent = text.hasSuffix("%")
        guard let number = Double(isPercent ? String(text.dropLast()) : text), number >= 0, number.isFinite
        else {
            return nil
        }
        return isPercent ? number / 100 : number
    }
}
