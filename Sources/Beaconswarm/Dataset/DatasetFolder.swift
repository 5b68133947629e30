import Datasets
import Files

/// The folder of a dataset that is to be made.
struct DatasetFolder {
    let path: String
    /// Whether what is there is gone on with.
    let resumes: Bool
    /// Whether its rows are sent while they are made; nothing goes on with such a dataset.
    let follows: Bool
    /// The part that it is of, if it is one; an unfinished one is gone on with unasked.
    let shard: String?
    /// Of what is to be made.
    private let settings: DatasetSettings

    init(_ options: GenerateOptions, _ settings: DatasetSettings) {
        (path, resumes, follows, shard) = (options.out, options.resumes, options.follows, options.shard)
        self.settings = settings
    }

    private var isWhole: Bool { OutputFile.exists("\(path)/\(DatasetOutput.successName)") }

    /// Whether a dataset may be written into it.
    func check() throws(CommandFailure) {
        let exists = OutputFile.exists(path)
        if exists, Folder.size(of: path) != nil {
            throw CommandFailure(.usage, "--out \(path) is a file, and no folder; name another")
        }
        if exists, !resumes { throw existing }
        if !exists, resumes {
            throw CommandFailure(.usage, "--resume: there is no folder \(path) to go on with")
        }
        if exists { try checkUnfinished() }
    }

    /// Makes the folder, and keeps other processes from it for as long as the lock lives. What the one before left of rows
    /// on their way is removed: another number of threads has other files.
    ///
    /// - Throws: ``CommandFailure`` with code 64 if another process writes into it, or did so meanwhile.
    func take() throws(CommandFailure) -> PathLock {
        do throws(FileFailure) { try Folder.make(path) } catch { throw CommandFailure(.usage, error) }
        guard let lock = PathLock(path) else {
            throw CommandFailure(
                .usage,
                "another process writes into \(path); wait until it has ended, or name another folder with --out"
            )
        }
        let names = Folder.names(in: path)
        guard resumes || names.isEmpty else { throw existing }
        try checkUnfinished()
        // A folder without a list of parts is none of a dataset, unless the process ended before it had one.
        let strays = names.filter { $0.hasPrefix("_") && $0.hasSuffix(GrowingFile.partialSuffix) }
        guard names.contains(PartJournal.name) || strays.count == names.count else { return lock }
        for name in strays {
            do throws(FileFailure) { try Folder.remove("\(path)/\(name)") } catch {
                throw CommandFailure(.internalError, error)
            }
        }
        return lock
    }

    private var existing: CommandFailure {
        CommandFailure(
            .usage,
            "the folder \(path) exists already; name another with --out"
                + (follows ? "" : ", or go on with an unfinished dataset there by --resume"))
    }

    private func checkUnfinished() throws(CommandFailure) {
        guard isWhole else { return }
        do throws(FileFailure) {
            try PartJournal.check(path, identity: settings.identity, settings: settings.all)
        } catch { throw CommandFailure(.usage, "\(error)") }
        let whole = shard.map { "part \($0) is whole in \(path)" } ?? "--resume: \(path) is whole"
        throw CommandFailure(.usage, "\(whole), there is nothing to go on with")
    }
}
