package import Timebase

extension DescribedSDK {
    /// Where events wait.
    package struct Storage: Hashable, Sendable {
        package enum Backend: String, CaseIterable, Sendable {
            /// Gone with the process.
            case memory
            /// A file for each event.
            case file
            /// A row for each event, in one file that can be damaged as a whole.
            case sqlite
        }

        package enum End: String, CaseIterable, Sendable { case oldest, newest }

        package enum EvictAt: String, CaseIterable, Sendable {
            /// Before an event is stored that has no room.
            case insert
            /// When a flush begins: until then there is room for all.
            case flush
        }

        package enum RemoveBy: String, CaseIterable, Sendable {
            /// The rows that the request carried.
            case id
            /// As many rows as the request carried, from the front of the store: others, where rows have left meanwhile.
            case position
        }

        /// When what is in the store is written where it outlives the process.
        package enum Persist: String, CaseIterable, Sendable {
            /// Each event, before it is captured.
            case each
            /// All of it, when the app leaves for the background and whenever rows have left after an answer or a failure.
            case onBackground
        }

        package var backend = Backend.file
        package var persist = Persist.each
        /// Rows at most; `nil` for no limit.
        package var limit: Int?
        /// Bytes of all rows' JSON at most; `nil` for no limit.
        package var maxBytes: Int?
        /// Rows that leave at once when there is no room.
        package var evict = 1
        package var evictFrom = End.oldest
        package var evictAt = EvictAt.insert
        /// Which rows are sent first.
        package var order = End.oldest
        /// Age from which on rows leave when a flush begins; `nil` for never. Its later requests carry rows that have
        /// come of that age meanwhile.
        package var ttl: Interval?
        package var removeBy = RemoveBy.id
        /// When rows become batches for good; `nil` for never: each request takes rows anew.
        package var seal: Seal?
        /// Events that each device captured before the run's start.
        package var prefill = 0

        package init() {}
    }

    /// Batches that are fixed in the store: files, that are sent as they are until they leave.
    package struct Seal: Hashable, Sendable {
        package enum Moment: String, CaseIterable, Sendable {
            /// Each flush closes the file that is being written.
            case flush
            /// A file has the events of one day on the device's calendar, and is closed when that is over.
            case day
        }

        /// When a file is closed.
        package var at = Moment.flush
        /// Events in a file, at most; `nil` for no limit.
        package var events: Int?
        /// Bytes of a file's events, at most; `nil` for no limit. An event that is larger has a file of its own.
        package var bytes: Int?
        /// Whether one request has all closed files.
        package var together = false

        package init() {}
    }
}
