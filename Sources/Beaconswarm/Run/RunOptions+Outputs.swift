extension RunOptions {
    /// Refuses a run one of whose outputs is there already, or cannot have its name, before anything is made for it.
    ///
    /// - Throws: ``CommandFailure`` with code 64.
    func checkOutputs() throws(CommandFailure) {
        // A part has its files in a folder of its own.
        if shard == nil {
            if let out { try RunFolder.checkIsFree(out) }
            if let events { try EventFile.check(events) }
        }
        for (option, path) in [("--store", store), ("--keep-stores", keepStores)] {
            guard let path, OutputFile.exists(path) else { continue }
            throw CommandFailure(.usage, "\(option) \(path) exists already")
        }
    }
}
