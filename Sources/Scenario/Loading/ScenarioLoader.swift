import Wire

/// Reads scenarios.
///
/// The order of precedence is default < file < variant < environment (`BEACONSWARM_SEED`, `_DEVICES`, `_DURATION`,
/// `_TARGET`, `_SET`) < options. Within one source assignments come first, in order, then the named ones.
/// Devices are scaled last.
package enum ScenarioLoader {
    /// Checks a threshold: metric and expression in, what is wrong with them out.
    package typealias ThresholdChecker = (_ metric: String, _ expression: String) -> String?

    /// Reads a scenario and everything that overrides it.
    ///
    /// - Parameters:
    ///   - bytes: The scenario file.
    ///   - name: The file's name or path; gives the scenario its name if it has none.
    ///   - options: What the command line overrides.
    ///   - environment: All environment variables, for `${NAME}` and `BEACONSWARM_*`.
    ///   - thresholdChecker: Knows metrics and expressions.
    ///   - zones: The time zones that populations may name.
    ///   - targetFileChecker: Reads the files of targets' `tls`; without it they are not looked at.
    ///   - readFile: Reads a file that the scenario names; `nil` for one that cannot be read.
    /// - Returns: a sound scenario, or every problem that was found; never both.
    package static func load(
        bytes: [UInt8], name: String, options: ScenarioOptions = ScenarioOptions(),
        environment: [String: String] = [:], thresholdChecker: ThresholdChecker = { _, _ in nil },
        zones: ZoneTable = .universal, targetFileChecker: TargetFileChecker? = nil,
        readFile: (String) -> [UInt8]? = { _ in nil }
    ) -> Result<ScenarioDocument, ScenarioProblems> {
        var reading = Reading()
        guard let file = read(bytes, &reading) else {
            return .failure(ScenarioProblems(problems: reading.problems))
        }
        // It is asked again for each variant, and not kept.
        let result = withoutActuallyEscaping(thresholdChecker) { checker in
            withoutActuallyEscaping(readFile) { readFile in
                load(
                    Request(
                        file: file, name: name, options: options, environment: environment,
                        thresholdChecker: checker, zones: zones, targetFileChecker: targetFileChecker,
                        readFile: readFile), reading)
            }
        }
        return result.mapError { FileKind.scenario.mistaken(file) ?? $0 }
    }

    private static func load(
        _ request: Request, _ before: Reading
    ) -> Result<ScenarioDocument, ScenarioProblems> {
        var reading = before
        let chosen = request.chosenVariant(&reading)
        let cast = VariantCast(request.options.checksVariants ? request.variants : chosen.map { [$0] } ?? [])
        // What is wrong with the scenario itself is told as such, whichever variant is meant.
        let (base, own) = request.attempt(nil, reading)
        let (document, read) = chosen.map { request.attempt($0, reading) } ?? (base, own)
        var found = read
        found.problems = own.problems + cast.problems(of: request, beside: own.problems)
        return finish(document, found)
    }

    /// Everything that a scenario is read from, so that it can be read once for each variant.
    struct Request {
        let file: JSONNode
        let name: String
        let options: ScenarioOptions
        let environment: [String: String]
        let thresholdChecker: ThresholdChecker
        let zones: ZoneTable
        let targetFileChecker: TargetFileChecker?
        let readFile: (String) -> [UInt8]?

        /// The variants that the file has, sound or not: what is wrong with their forms is told elsewhere.
        var variants: [Named<VariantDraft>] {
            var ignored = Reading()
            guard let node = file["variants"] else { return [] }
            let place = Place(node: node, path: JSONPath(["variants"]))
            return VariantFormat.form.decode(place, &ignored) ?? []
        }

        /// The variant that the user asks for; `nil` for the scenario itself.
        func chosenVariant(_ reading: inout Reading) -> Named<VariantDraft>? {
            let ownName = options.variant
            guard let wanted = ownName ?? ScenarioOptions(environment: environment).variant,
                wanted != VariantName.base
            else { return nil }
            if let variant = variants.first(where: { $0.name == wanted }) { return variant }
            let names = [VariantName.base] + variants.map(\.name)
            reading.problems.append(
                Problem(
                    .unknownName, at: JSONPath(["variants"]),
                    position: .override(ownName == nil ? "BEACONSWARM_VARIANT" : "--variant"),
                    found: "\"\(wanted)\"", allowed: "a variant of the scenario: \(quotedList(names))",
                    nearest: NameDistance.nearest(to: wanted, among: names)))
            return nil
        }

        /// Reads the scenario, or one of its variants.
        ///
        /// - Parameter before: What came to light already.
        func attempt(
            _ variant: Named<VariantDraft>?, _ before: Reading = Reading()
        ) -> (ScenarioDocument?, Reading) {
            var reading = before
            let root = prepare(self, variant, &reading)
            let draft =
                root.node.isObject
                ? ScenarioDraft.format.decode(root.place, &reading) : notAnObject(root.place, &reading)
            var binder = ScenarioBinder(draft: draft ?? ScenarioDraft(), root: root.place, reading: reading)
            binder.zones = zones
            binder.targetFileChecker = targetFileChecker
            var document = binder.document(
                fileName: name, devices: root.devices, overrides: root.overrides,
                thresholdChecker: thresholdChecker)
            document?.variant = variant?.name
            document?.written = root.written
            document?.variables = root.variables
            document?.sum = String(SHA256.hexadecimal(of: Array(root.node.compactText.utf8)).prefix(8))
            var found = binder.reading
            found.problems = root.files.told(found.problems)
            return (document, found)
        }
    }

    /// Reads JSON; a syntax error ends it, duplicate keys are noted.
    static func read(_ bytes: [UInt8], _ reading: inout Reading) -> JSONNode? {
        do throws(JSONReader.Failure) {
            let (node, duplicates) = try JSONReader.read(bytes)
            reading.problems += duplicates.map { duplicate in
                var found = "a second \"\(duplicate.path.tokens.last ?? "")\""
                if case .file(let line, let column) = duplicate.first {
                    found += " (the first is at \(line):\(column))"
                }
                return Problem(
                    .duplicateKey, at: duplicate.path, position: duplicate.position, found: found,
                    allowed: "each key once")
            }
            return node
        } catch {
            reading.problems.append(
                Problem(
                    .syntax, at: JSONPath(), position: error.position, found: error.found,
                    allowed: error.allowed))
            return nil
        }
    }

    /// A file's JSON after overrides and substitution.
    private struct Prepared {
        var node: JSONNode
        /// Before substitution.
        var written: JSONNode
        var devices: (text: String, origin: String)?
        var overrides: [ScenarioOverride]
        var variables: [String: String]
        var files: DescriptionFiles
        var place: Place { Place(node: node, path: JSONPath()) }
    }

    private static func prepare(
        _ request: Request, _ variant: Named<VariantDraft>?, _ reading: inout Reading
    ) -> Prepared {
        let (options, environment) = (request.options, request.environment)
        var overrides = Overrides(root: request.file)
        if let variant { overrides.apply(variant) }
        overrides.apply(
            ScenarioOptions(environment: environment), name: { "BEACONSWARM_\($0.uppercased())" },
            setName: "BEACONSWARM_SET")
        overrides.apply(options, name: { "--\($0)" }, setName: "--set")
        var files = DescriptionFiles(environment: environment, read: request.readFile)
        let written = files.expand(overrides.root, &reading)
        var substitution = Substitution(environment: environment)
        let node = substitution.apply(to: written)
        reading.problems += overrides.problems + substitution.problems
        reading.secrets += substitution.secrets
        return Prepared(
            node: node, written: written, devices: overrides.devices, overrides: overrides.applied,
            variables: substitution.variables, files: files)
    }

    private static func notAnObject(_ place: Place, _ reading: inout Reading) -> ScenarioDraft? {
        reading.report(
            .wrongType, place, allowed: "a scenario: an object with \"duration\" and \"populations\"")
        return nil
    }

    private static func finish(
        _ document: ScenarioDocument?, _ reading: Reading
    ) -> Result<ScenarioDocument, ScenarioProblems> {
        let redactor = Redactor(secrets: reading.secrets)
        if reading.problems.isEmpty, var document {
            document.redactor = redactor
            document.written = document.written.redacted(by: redactor)
            document.warnings = reading.warnings.map {
                ScenarioWarning(pointer: $0.pointer, text: redactor.redact($0.text))
            }
            document.warnings += masked(document)
            document.overrides = document.overrides.map {
                ScenarioOverride(path: $0.path, value: redactor.redact($0.value), origin: $0.origin)
            }
            return .success(document)
        }
        var seen: Set<Problem> = []
        // What is wrong with the rest of a text that lacks a variable says nothing.
        let lacking = Set(reading.problems.filter { $0.kind == .unsetVariable }.map(\.pointer))
        let told = reading.problems.filter { $0.kind == .unsetVariable || !lacking.contains($0.pointer) }
        let problems = told.map { $0.redacted(by: redactor) }
            .filter { seen.insert($0).inserted }
        return .failure(ScenarioProblems(problems: sorted(problems)))
    }

    /// Warnings of populations that the files of a run cannot call by their names.
    private static func masked(_ document: ScenarioDocument) -> [ScenarioWarning] {
        document.populations.enumerated().compactMap { index, population in
            guard document.redactor.redactSecrets(population.name) != population.name else { return nil }
            let path = JSONPath(["populations", String(index), "name"])
            // A name that is written with a variable stays so in the scenario that is kept.
            let kept = document.written.value(at: path.tokens)?.string ?? Redactor.mask
            let words =
                kept.contains(Redactor.mask)
                ? "the name has a secret of the scenario in it, such as its apiKey: what is kept of a run says "
                    + "\(Redactor.mask) there, so that neither explain nor merge can play it again; call it otherwise"
                : "the name has a value of the environment in it: reports say \(Redactor.mask) there, and explain and "
                    + "merge play the run again only where \(kept) means the same"
            return ScenarioWarning(pointer: path.pointer, text: words)
        }
    }

    /// In the order of the file; those without a place in it come last.
    static func sorted(_ problems: [Problem]) -> [Problem] {
        func key(_ entry: (offset: Int, element: Problem)) -> (Int, Int, Int) {
            guard case .file(let line, let column) = entry.element.position else {
                return (.max, 0, entry.offset)
            }
            return (line, column, entry.offset)
        }
        return problems.enumerated().sorted { key($0) < key($1) }.map(\.element)
    }
}
