import DeviceSDK
import Measurement
import World

/// A request whose answer is on its way, with the answer.
struct OpenRequest {
    var number: RequestNumber
    /// As the device asked for it.
    var network: NetworkKind
    var outcome: RequestOutcome
    var sample: RequestSample
    /// Of a request that is held up on the client's side: what is to leave.
    var held: HeldAttempt?
    /// What is kept of the answer, should its system not take it as success.
    var answer: AnswerText?
}

/// What is told of an answer besides its status.
struct AnswerText {
    var headers: String
    var body: [UInt8]

    /// The whole of it, of an answer that its system did not take as success.
    func unexpected(_ sample: RequestSample, population: Int, device: UInt32) -> UnexpectedAnswer {
        var answer = UnexpectedAnswer(
            status: sample.status, failure: nil, headers: headers, body: body, population: population,
            at: sample.finishedAt)
        answer.device = device
        return answer
    }
}

/// An attempt in a place of its own: few requests are held up, and all others are smaller for it.
final class HeldAttempt {
    let attempt: Attempt

    init(_ attempt: Attempt) { self.attempt = attempt }
}

/// The requests in the air: a slab with a free list, chained by device so that a process's death
/// finds its own.
struct OpenRequests {
    private struct Cell {
        var request: OpenRequest?
        var device: UInt32
        /// The device's next cell, or the next free one.
        var next: Int32
    }

    private var cells: ContiguousArray<Cell> = []
    private var free: Int32 = -1
    private var first: ContiguousArray<Int32>
    private var live = 0

    init(deviceCount: Int) { first = ContiguousArray(repeating: -1, count: deviceCount) }

    var isEmpty: Bool { live == 0 }

    /// Whether a device has one.
    func isAny(of device: Int) -> Bool { first[device] >= 0 }

    /// The most that were there at the same time, those that wait for their entries to come up included.
    var peak: Int { cells.count }

    mutating func add(_ request: OpenRequest, device: Int) -> UInt32 {
        let cell = Cell(request: request, device: UInt32(device), next: first[device])
        let index: Int32
        if free >= 0 {
            index = free
            free = cells[Int(index)].next
            cells[Int(index)] = cell
        } else {
            index = Int32(cells.count)
            cells.append(cell)
        }
        first[device] = index
        live += 1
        return UInt32(index)
    }

    /// Takes a request out; its cell is free after this. The entry of the queue that names a cell is
    /// the only one to free it, so a cell is never reused while an entry points at it.
    mutating func take(_ index: UInt32) -> OpenRequest? {
        var request: OpenRequest?
        swap(&request, &cells[Int(index)].request)
        if request != nil { unlink(Int32(index)) }
        cells[Int(index)].next = free
        free = Int32(index)
        return request
    }

    /// Takes the requests of a device that died, in the order in which they were sent. Their cells
    /// stay until their entries come up.
    mutating func takeAll(of device: Int) -> [OpenRequest] {
        var requests: [OpenRequest] = []
        var index = first[device]
        while index >= 0 {
            if let request = cells[Int(index)].request { requests.append(request) }
            cells[Int(index)].request = nil
            live -= 1
            index = cells[Int(index)].next
        }
        first[device] = -1
        return requests.reversed()
    }

    /// Takes everything out, device by device, each device's in the order in which they were sent. O(devices).
    mutating func takeAll() -> [(device: Int, request: OpenRequest)] {
        first.indices.flatMap { device in takeAll(of: device).map { (device, $0) } }
    }

    private mutating func unlink(_ index: Int32) {
        let device = Int(cells[Int(index)].device)
        live -= 1
        if first[device] == index {
            first[device] = cells[Int(index)].next
            return
        }
        var before = first[device]
        while before >= 0 {
            if cells[Int(before)].next == index {
                cells[Int(before)].next = cells[Int(index)].next
                return
            }
            before = cells[Int(before)].next
        }
    }
}
