/// Options of `merge`.
public struct MergeOptions: Sendable {
    /// Folders with parts of one run, or of single parts.
    public var folders: [String]
    /// The folder of the whole run.
    public var out: String
    /// File for a line per event, where the parts were played with one.
    public var events: String?
    /// The report's JSON on standard output.
    public var json = false
    /// No summary.
    public var quiet = false
    /// Colours where the output is a terminal.
    public var color = true
    /// Whether SIGINT, SIGTERM and SIGHUP end it, as the cancellation of its task does. `false` leaves them to the program
    /// that asks.
    public var listensToSignals = true

    /// Asks for the parts in some folders.
    public init(folders: [String], out: String) {
        self.folders = folders
        self.out = out
    }
}

extension Beaconswarm {
    /// Joins the parts of a run into the folder that one process would have written, or those of a dataset.
    ///
    /// It computes without a pause, on the thread that calls it. If its task is cancelled, or at the first SIGINT, SIGTERM or
    /// SIGHUP, it ends with nothing written; only of a dataset, what was written so far is left, without `_SUCCESS`.
    ///
    /// - Returns: how the run ended: by its verdict; where parts are missing, that it is invalid.
    /// - Throws: ``CommandFailure`` with code 64 for parts of different runs, parts that are there twice,
    ///   folders without a part, and files that were changed; with code 105 where it was interrupted; nothing is
    ///   written then.
    public static func merge(_ options: MergeOptions) throws -> CommandStatus {
        try FileName.check(options.out, of: "--out")
        for folder in options.folders { try FileName.check(folder, of: "the part") }
        let datasets = try DatasetMerge.found(in: options.folders)
        let control = MergeControl(options)
        if !datasets.isEmpty { return try DatasetMerge(options: options, control: control).run(datasets) }
        return try MergeRunner(options: options, control: control).run()
    }
}
