/// What a row's store and custody note about it.
extension EventRecord {
    /// Bits of ``EventRecord/status``; those above are the systems' own.
    private enum Status {
        /// An upload has marked the row.
        static let uploading: UInt8 = 1 << 0
        /// The event's fate is decided, though the row is still there.
        static let settled: UInt8 = 1 << 1
    }

    /// Whether an upload has marked the row as its own.
    package var isUploading: Bool {
        get { status & Status.uploading != 0 }
        set { status = newValue ? status | Status.uploading : status & ~Status.uploading }
    }

    /// Whether the event's fate is decided, though the row is still there: it may travel again, and is never
    /// counted again.
    package var isSettled: Bool {
        get { status & Status.settled != 0 }
        set { status = newValue ? status | Status.settled : status & ~Status.settled }
    }
}
