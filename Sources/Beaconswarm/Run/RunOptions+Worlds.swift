extension RunOptions {
    /// Refuses what only the other world has: on the command line, its verb does not know these options. What the
    /// environment says of them is meant for the runs of that world, and also holds for those.
    ///
    /// - Throws: ``CommandFailure`` with code 64.
    func check(for world: PlayedWorld) throws(CommandFailure) {
        let (strangers, words) =
            switch world {
            case .virtual: (ofLiveRuns, "is for live runs, and has no meaning in virtual time")
            case .live: (ofSimulations, "is for simulations, and has no meaning in a live run")
            }
        for (option, isGiven) in strangers where isGiven {
            throw CommandFailure(.usage, "\(option): \(words); nothing was run")
        }
    }

    private var ofLiveRuns: [(option: String, isGiven: Bool)] {
        [
            ("--at", at != nil), ("--repeat", repeats != nil), ("--ab", !rivals.isEmpty),
            ("--trace-devices", tracedDevices != nil), ("--max-rate", maximumRate != nil),
            ("--scrape", scrape != nil), ("--scrape-only", scrapeOnly != nil), ("--store", store != nil),
            ("--receipts", !receipts.isEmpty),
        ]
    }

    private var ofSimulations: [(option: String, isGiven: Bool)] {
        [("--seeds", seeds != nil), ("--bodies", bodies != nil)]
    }
}
