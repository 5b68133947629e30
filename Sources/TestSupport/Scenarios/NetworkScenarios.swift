extension ConformanceSuite {
    /// Networks that are not ideal: the same radios, delays and bad ends in every world.
    ///
    /// Answers are there before the user's next action, 250 ms after the one that set the request off, and each flush
    /// is one request, so that their times set nothing off.
    static let networkScenarios = [slowLink, badEnds, radioChanges]

    /// Delays on the way there and back, a radio that sleeps in between, and losses that cost a time-out.
    private static let slowLink = {
        var text = ScenarioText(seed: 61)
        text.upload += ", \"timeout\": \"625ms\", \"maxBatchesPerFlush\": 1"
        text.network = "net"
        text.ownNetwork = """
            {"kind": "4g", "rtt": {"median": "20ms", "sigma": 0.3}, "up": "800 kbit/s", "down": "1 Mbit/s",
             "loss": 0.05, "setUp": 1, "promotion": "30ms", "tail": "500ms"}
            """
        return ConformanceScenario("slow link", shows: ["delivered", "pending/stored"], json: text.text)
    }()

    /// Connections refused, broken in mid-body, and silent once the collector has the request.
    private static let badEnds = {
        var text = ScenarioText(seed: 62, duration: "6s")
        text.upload += ", \"timeout\": \"625ms\", \"maxBatchesPerFlush\": 1"
        text.network = "net"
        text.ownNetwork = """
            {"kind": "3g", "rtt": "20ms", "up": "2 Mbit/s", "refused": 0.1, "reset": 0.1, "lostReply": 0.1}
            """
        return ConformanceScenario(
            "bad ends", shows: ["delivered", "pending/stored", "audit/duplicates"], json: text.text)
    }()

    /// Radios that change every second or two, with requests under way, and an entry of the timeline over some. Requests
    /// break on their way there, which is long; the way back is short, so that no answer's time decides.
    private static let radioChanges = {
        var text = ScenarioText(seed: 115, duration: "6s")
        text.devices = 3
        text.upload += ", \"timeout\": \"625ms\", \"maxBatchesPerFlush\": 1"
        text.network = "net"
        text.ownNetwork = """
            {"chain": {"wifi": {"dwell": "2s", "to": {"4g": 2, "none": 1}, "rtt": "4ms", "up": "100 kbit/s"},
                       "4g": {"dwell": "2s", "to": {"wifi": 1, "none": 1}, "rtt": "10ms", "up": "80 kbit/s",
                              "promotion": "20ms", "tail": "300ms"},
                       "none": {"dwell": "1s", "to": {"wifi": 1, "4g": 1}}},
             "handover": {"failure": 0.7, "gap": "20ms"}}
            """
        text.timeline = [
            #"{"at": "1278ms", "for": "2s", "share": 0.4, "device": {"network": "4g"}}"#
        ]
        return ConformanceScenario("radio changes", shows: ["delivered", "pending/stored"], json: text.text)
    }()
}
