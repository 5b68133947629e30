import Wire

/// Reads scenarios.
///
/// The order of precedence is default < file < environment (`BEACONSWARM_SEED`, `_DEVICES`, `_DURATION`,
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
    /// - Returns: a sound scenario, or every problem that was found; never both.
    package static func load(
        bytes: [UInt8], name: String, options: ScenarioOptions = ScenarioOptions(),
        environment: [String: String] = [:], thresholdChecker: ThresholdChecker = { _, _ in nil }
    ) -> Result<ScenarioDocument, ScenarioProblems> {
        var reading = Reading()
        guard let file = read(bytes, &reading) else {
            return .failure(ScenarioProblems(problems: reading.problems))
        }
        let root = prepare(file, options, environment, &reading)
        let draft =
            root.node.isObject
            ? ScenarioDraft.format.decode(root.place, &reading) : notAnObject(root.place, &reading)
        var binder = ScenarioBinder(draft: draft ?? ScenarioDraft(), root: root.place, reading: reading)
        let document = binder.document(
            fileName: name, devices: root.devices, overrides: root.overrides,
            thresholdChecker: thresholdChecker)
        return finish(document, binder.reading)
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
        var devices: (text: String, origin: String)?
        var overrides: [ScenarioOverride]
        var place: Place { Place(node: node, path: JSONPath()) }
    }

    private static func prepare(
        _ file: JSONNode, _ options: ScenarioOptions, _ environment: [String: String],
        _ reading: inout Reading
    ) -> Prepared {
        var overrides = Overrides(root: file)
        overrides.apply(
            ScenarioOptions(environment: environment), name: { "BEACONSWARM_\($0.uppercased())" },
            setName: "BEACONSWARM_SET")
        overrides.apply(options, name: { "--\($0)" }, setName: "--set")
        var substitution = Substitution(environment: environment)
        let node = substitution.apply(to: overrides.root)
        reading.problems += overrides.problems + substitution.problems
        reading.secrets += substitution.secrets
        return Prepared(node: node, devices: overrides.devices, overrides: overrides.applied)
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
            document.warnings = reading.warnings.map {
                ScenarioWarning(pointer: $0.pointer, text: redactor.redact($0.text))
            }
            document.overrides = document.overrides.map {
                ScenarioOverride(path: $0.path, value: redactor.redact($0.value), origin: $0.origin)
            }
            return .success(document)
        }
        var seen: Set<Problem> = []
        let problems = reading.problems.map { problem in
            var copy = problem
            copy.found = redactor.redact(problem.found)
            copy.allowed = redactor.redact(problem.allowed)
            if case .override(let text) = problem.position {
                copy.position = .override(redactor.redact(text))
            }
            return copy
        }
        .filter { seen.insert($0).inserted }
        return .failure(ScenarioProblems(problems: sorted(problems)))
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
