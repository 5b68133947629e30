/// What a stored event's row begins with on its way from the simulation to the tables; behind it lie the texts type,
/// name and id, the values of fields (``FieldReader``), and the payload.
package struct ArrivalHead: BitwiseCopyable {
    /// When the event arrived, in nanoseconds since 1970.
    package var at: Int64
    /// Its own time by the device's clock, in milliseconds since 1970.
    var capturedAt: Int64
    /// All bytes of the row, these included.
    var byteCount: UInt32
    package var device: UInt32
    /// Counts the device's uploads.
    package var request: UInt32
    /// ``ArrivalHead/unknown`` where nothing tells which event of the device it is.
    var sequence: UInt32
    var payloadBytes: UInt32
    /// The event's index in its upload.
    var position: UInt16
    /// How many uploads have carried the event, this one counted; 0 where nobody knows.
    var attempt: UInt16
    /// 0 for the first of the event to arrive.
    var copy: UInt16
    var population: UInt16
    var typeBytes: UInt16
    var nameBytes: UInt16
    var idBytes: UInt16
    var reserved: UInt16 = 0

    static let unknown = UInt32.max
    static let size = MemoryLayout<ArrivalHead>.size
}

/// A row in the memory of its block.
package struct ArrivalRow {
    package let head: ArrivalHead
    private let texts: UnsafeRawBufferPointer
    private let whole: UnsafeRawBufferPointer

    /// The row that begins at an offset.
    init(in block: UnsafeRawBufferPointer, at offset: Int) {
        head = block.loadUnaligned(fromByteOffset: offset, as: ArrivalHead.self)
        whole = UnsafeRawBufferPointer(rebasing: block[offset..<offset + Int(head.byteCount)])
        texts = UnsafeRawBufferPointer(rebasing: whole[ArrivalHead.size...])
    }

    /// A copy of all of it.
    var bytes: [UInt8] { Array(whole) }

    var type: UnsafeRawBufferPointer { part(0, Int(head.typeBytes)) }
    var name: UnsafeRawBufferPointer { part(Int(head.typeBytes), Int(head.nameBytes)) }
    var id: UnsafeRawBufferPointer {
        part(Int(head.typeBytes) + Int(head.nameBytes), Int(head.idBytes))
    }
    /// What ``FieldReader`` wrote.
    var fields: UnsafeRawBufferPointer {
        let begin = Int(head.typeBytes) + Int(head.nameBytes) + Int(head.idBytes)
        return part(begin, texts.count - begin - Int(head.payloadBytes))
    }
    var payload: UnsafeRawBufferPointer {
        part(texts.count - Int(head.payloadBytes), Int(head.payloadBytes))
    }

    private func part(_ begin: Int, _ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: texts[begin..<begin + count])
    }
}

/// Where a row belongs among all: by its instant, its device, the device's upload and its index there. No two rows are
/// equal, and nothing in it depends on how the devices were divided.
struct ArrivalOrder: Comparable {
    var at: Int64
    var device: UInt32
    var request: UInt32
    var position: UInt16

    init(_ head: ArrivalHead) {
        (at, device, request, position) = (head.at, head.device, head.request, head.position)
    }

    static func < (left: ArrivalOrder, right: ArrivalOrder) -> Bool {
        (left.at, left.device, left.request, left.position)
            < (right.at, right.device, right.request, right.position)
    }
}
