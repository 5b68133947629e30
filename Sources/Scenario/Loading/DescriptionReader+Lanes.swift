import Wire

extension DescriptionReader {
    /// What is wrong in the description's own `request` is told there, and not once more for each lane, whose requests are
    /// made of it.
    ///
    /// - Parameter before: How many problems there were before the description was read.
    static func tellOnce(_ description: Place, after before: Int, _ reading: inout Reading) {
        let own = reading.problems.dropFirst(before)
        let told = Set(own)
        let kept = own.filter { problem in
            guard let pointer = mainPointer(of: problem, in: description) else { return true }
            var main = problem
            main.pointer = pointer
            return !told.contains(main)
        }
        guard kept.count < own.count else { return }
        reading.problems.replaceSubrange(before..., with: kept)
    }

    /// The place in the description's own request that a place in a lane's is like.
    private static func mainPointer(of problem: Problem, in description: Place) -> String? {
        let lanes = description.path.appending("lanes").tokens
        guard let tokens = JSONPath(text: problem.pointer)?.tokens, tokens.starts(with: lanes) else {
            return nil
        }
        // Behind a lane's name.
        let rest = tokens.dropFirst(lanes.count + 1)
        return rest.first == "request" ? JSONPath(description.path.tokens + rest).pointer : nil
    }
}
