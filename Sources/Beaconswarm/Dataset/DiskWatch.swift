/// What the machine's own disk fails the devices' files from now on: they may have been played with before.
struct DiskWatch {
    private let stores: RunStores
    private let earlier: Int

    init(_ stores: RunStores) { (self.stores, earlier) = (stores, stores.hostFailures.count) }

    var hasFailed: Bool { failures.count > 0 }

    /// Why what was played says nothing of its devices; `nil` where it does.
    ///
    /// - Parameter uploads: Those that began.
    func reason(uploads: UInt64) -> String? {
        OwnFailures.reason(OwnFailures.of(devices: failures), uploads: uploads)
    }

    private var failures: (count: Int, first: String) {
        let all = stores.hostFailures
        return (all.count - earlier, all.first)
    }
}
