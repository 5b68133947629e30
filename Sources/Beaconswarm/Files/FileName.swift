/// What a user gives as the name of a file or folder.
enum FileName {
    /// Refuses an empty name: joined with others it would name the root folder, and SQLite takes it for a database
    /// that is thrown away.
    ///
    /// - Parameter origin: The option, argument or environment variable that gives it.
    /// - Throws: ``CommandFailure`` with code 64.
    static func check(_ name: String?, of origin: String) throws(CommandFailure) {
        guard let name, name.isEmpty else { return }
        throw CommandFailure(
            .usage, "\(origin): found an empty value, allowed is the name of a file or folder")
    }
}

extension RunOptions {
    /// Refuses empty names of files.
    func checkFileNames() throws(CommandFailure) {
        try FileName.check(out, of: "--out")
        try FileName.check(events, of: "--events")
        for path in receipts { try FileName.check(path, of: "--receipts") }
        try FileName.check(store, of: "--store")
        try FileName.check(keepStores, of: "--keep-stores")
        try FileName.check(targetsFile, of: "--targets")
    }
}

extension CollectOptions {
    /// Refuses empty names of files.
    func checkFileNames() throws(CommandFailure) {
        try FileName.check(store, of: "--store")
        try FileName.check(faults, of: "--faults")
        for path in descriptions { try FileName.check(path, of: "--sdk") }
    }
}
