/// The files of a fleet that have a connection now: so many at most that the process' descriptors
/// suffice. When one more is needed, one that was not used lately loses its connection (the "clock"
/// approximation of least recently used, O(1) amortised). That loses nothing: the file is opened again
/// when its device next needs it, and the simulated process never notices.
///
/// Confined to the thread of its fleet.
final class ConnectionCache {
    private let capacity: Int
    private let storeWarnings: StoreWarnings
    private var stores: [SQLiteStore] = []
    private var hand = 0
    /// Connections that were closed to make room.
    private(set) var evictions = 0

    /// - Parameter capacity: Connections that may be open at once, 1 or more.
    init(capacity: Int, storeWarnings: StoreWarnings) {
        self.capacity = max(1, capacity)
        self.storeWarnings = storeWarnings
    }

    var count: Int { stores.count }

    /// A store is about to use its file.
    func bringForward(_ store: SQLiteStore) {
        store.isFresh = true
        guard store.cacheIndex == nil else { return }
        guard stores.count >= capacity else {
            store.cacheIndex = stores.count
            stores.append(store)
            return
        }
        while stores[hand].isFresh {
            stores[hand].isFresh = false
            hand = (hand + 1) % stores.count
        }
        stores[hand].loseConnection()
        evictions += 1
        store.cacheIndex = hand
        stores[hand] = store
        hand = (hand + 1) % stores.count
    }

    /// A store has given its connection back.
    func remove(_ store: SQLiteStore) {
        guard let cacheIndex = store.cacheIndex else { return }
        store.cacheIndex = nil
        let last = stores.removeLast()
        if last !== store {
            stores[cacheIndex] = last
            last.cacheIndex = cacheIndex
        }
        if hand >= stores.count { hand = 0 }
    }

    func warn(_ text: String) { storeWarnings.note(text) }
    func hostRefused(_ file: DeviceFile) { storeWarnings.noteHostFailure(file.hostFailure, path: file.path) }
}
