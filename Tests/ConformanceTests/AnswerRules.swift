import TestSupport

/// What each system makes of each answer, written by hand from what is published of its rules, apart from every
/// line of the simulation.
///
/// - Sensors 1.10.17 (`SensorsAnalyticsSDK.m`) and the text: a status below 300 deletes the rows, all else keeps
///   them. 4.9.1: only 403, 404, 5xx and failures of the network keep them; every other status deletes. Nobody
///   reads the body. 60 s, and 30 s, are what a request may take.
/// - GrowingIO (`GrowingEventManager.m` of 3.2.1 and 4.11.0): 200 to 299 deletes, all else keeps.
/// - TrackingSDK: exactly 200 removes the file. Each event begins an upload of the whole file, so that events which
///   are closer than an answer travel twice under any answer.
/// - Kit (`KitUserStatisticsUtil.m`): 2xx with JSON whose `statusCode` is 200 is success, within 8 s; a 204 has no body.
/// - The codeless SDK: success takes a part out of memory, by this project's choice any 2xx; its flow has no way back for
///   a part that failed, which stays where it is until the process ends.
enum AnswerRules {
    /// D delivered, T taken for delivered, S stalled, K stuck, L lost, G given up yet held; 2 duplicated.
    private static let table = """
        system            | healthy 204 302 400 403 404 413 429 500 503 | 201 204 413 | none late reset portal
        sensors 1.10.17   | D       T   S   S   S   S   S   S   S   S   | D   D   S2  | S2   S2   S     T
        sensors 4.9.1     | D       T   L   L   S   S   L   L   S   S   | D   D   G   | S2   S2   S     T
        sensors document  | D       T   S   S   S   S   S   S   S   S   | D   D   S2  | S2   S2   S     T
        growing 3.2.1     | D       T   S   S   S   S   S   S   S   S   | D   D   S2  | S2   S2   S     T
        growing 4.11.0    | D       T   S   S   S   S   S   S   S   S   | D   D   S2  | S2   S2   S     T
        growing document  | D       T   S   S   S   S   S   S   S   S   | D   D   S2  | S2   S2   S     T
        trackingsdk document | D2   S2  S2  S2  S2  S2  S2  S2  S2  S2  | S2  S2  S2  | S2   S2   S2    T2
        kit 1.0           | D       S   S   S   S   S   S   S   S   S   | D   S2  S2  | S2   S2   S     S
        kit document      | D       S   S   S   S   S   S   S   S   S   | D   S2  S2  | S2   S2   S     S
        codeless document | D       T   K   K   K   K   K   K   K   K   | D   D   K   | K    K    K     T
        """

    /// The words of each cell, by the row's name, in the order of `SystemMatrix.columns`.
    static let words: [String: [[SystemMatrix.Word]]] = Dictionary(
        uniqueKeysWithValues: table.split(separator: "\n").dropFirst().map {
            line -> (String, [[SystemMatrix.Word]]) in
            let parts = line.split(separator: "|")
            let name = parts[0].split(separator: " ").joined(separator: " ")
            return (name, parts.dropFirst().joined(separator: " ").split(separator: " ").map(decoded))
        })

    private static func decoded(_ code: Substring) -> [SystemMatrix.Word] {
        let fates: [Character: SystemMatrix.Word] = [
            "D": .delivered, "T": .takenForDelivered, "S": .stalled, "K": .stuck, "L": .lost, "G": .givenUp,
            "2": .duplicated,
        ]
        return code.compactMap { fates[$0] }
    }

    /// What a share of 30 % costs by the same rules; `nil` where the rules alone tell no number.
    struct Expectation {
        var lost: Double? = 0
        var takenForDelivered: Double? = 0
        var kept: Double? = 0
        var copies: Double? = 0
    }

    /// A batch that is tried until an answer lets it go is stored once more with each of the tries before, each of
    /// which fails with 30 %: 0.3 + 0.3² + … = 0.3 / 0.7 copies.
    private static let copiesOfTries = 0.3 / 0.7

    static func expectation(_ row: SystemMatrix.Row, _ disturbance: SystemCosts.Disturbance) -> Expectation {
        var expected = Expectation()
        let isTracking = row.system == "trackingsdk"
        // Its requests carry the same events side by side, as often as the users act; and what an answer of 200 clears
        // before its own request has failed is gone.
        if isTracking { (expected.lost, expected.copies) = (nil, nil) }
        // A part that failed is not tried again.
        let keeps = row.system == "codeless" ? 0.3 : 0
        switch disturbance {
        case .tooLarge:
            if row.version == "4.9.1" { expected.lost = 0.3 }
            expected.kept = keeps
        case .unavailable:
            expected.kept = keeps
        case .lostReplies:
            expected.kept = keeps
            if !isTracking { expected.copies = row.system == "codeless" ? 0 : copiesOfTries }
        case .portal:
            expected.takenForDelivered = row.system == "kit" ? 0 : 0.3
        case .slowAndUnavailable:
            expected.kept = keeps
        case .slowMidnight:
            if row.system == "kit" { expected.lost = nil }
        }
        return expected
    }
}
