import Rendering
import Reporting
import Scenario

/// Reads `--vary PATH=A,B,C`.
enum SweepAxes {
    /// The most points of a grid.
    static let pointLimit = 10_000

    /// - Throws: ``CommandFailure`` with code 64 for what is no axis, or too many points.
    static func parse(_ texts: [String]) throws(CommandFailure) -> [SweepReport.Axis] {
        guard !texts.isEmpty else {
            throw CommandFailure(
                .usage, "nothing is varied: name a path and its values with --vary PATH=A,B,C")
        }
        var axes: [SweepReport.Axis] = []
        for text in texts {
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
                throw CommandFailure(.usage, "--vary \(text): expected PATH=A,B,C, the path as that of --set")
            }
            let path = String(text[..<equals])
            guard !["seed", "/seed"].contains(path) else {
                throw CommandFailure(
                    .usage, "--vary \(path): all points have the same seeds; --seeds says how many, and which"
                )
            }
            let values = split(text[text.index(after: equals)...])
            guard values.allSatisfy({ !$0.isEmpty }) else {
                throw CommandFailure(.usage, "--vary \(text): expected a value before and after each comma")
            }
            for (index, value) in values.enumerated() where values[..<index].contains(value) {
                throw CommandFailure(.usage, "--vary \(text): \(value) is there twice")
            }
            if axes.contains(where: { $0.path == path }) {
                throw CommandFailure(.usage, "--vary \(path): is there twice; name all its values at once")
            }
            axes.append(SweepReport.Axis(path: path, values: values))
        }
        var count = 1
        for axis in axes {
            count *= axis.values.count
            guard count <= pointLimit else {
                throw CommandFailure(
                    .usage, "--vary: more than \(pointLimit) combinations; allowed are so many")
            }
        }
        return axes
    }

    /// A value as everybody may see it.
    ///
    /// - Parameter redact: Takes secrets out of an assignment.
    static func shown(_ value: String, of path: String, _ redact: (String) -> String) -> String {
        let assignment = redact("\(path)=\(value)")
        guard assignment.hasPrefix("\(path)=") else { return Redactor.mask }
        return String(assignment.dropFirst(path.count + 1))
    }

    /// An axis with its values as they are shown. Secrets that look alike are told apart by their number.
    static func toldApart(_ axis: SweepReport.Axis, as shown: [String: String]) -> SweepReport.Axis {
        let values = axis.values.map { shown[$0] ?? Redactor.mask }
        return SweepReport.Axis(
            path: axis.path,
            values: values.enumerated().map { index, value in
                values.count { $0 == value } > 1 ? "\(value) (\(index + 1))" : value
            })
    }

    /// Divides at commas, but for those within JSON's lists, objects and strings.
    private static func split(_ text: Substring) -> [String] {
        var values = [""]
        var depth = 0
        var isText = false
        var isEscaped = false
        for character in text {
            if character == ",", depth == 0, !isText {
                values.append("")
                continue
            }
            values[values.count - 1].append(character)
            if isEscaped {
                isEscaped = false
            } else if isText {
                isEscaped = character == "\\"
                isText = character != "\""
            } else {
                isText = character == "\""
                depth += "[{".contains(character) ? 1 : "]}".contains(character) ? -1 : 0
            }
        }
        return values
    }
}
