import DeviceSDK
import Measurement
import Timebase
import World

/// Names an open request in its shard; a later request in the same slot has another generation.
struct RequestKey: Hashable {
    var index: Int32
    var generation: UInt32
}

/// A request that a device asked for and that has not ended.
struct OpenRequest {
    var device: UInt32 = 0
    var fleet: UInt16 = 0
    var slot: UInt32 = 0
    var number = RequestNumber(kind: .upload, number: 0)
    var network: NetworkKind = .wifi
    /// Whether the device reads the answer's body.
    var wantsBody = false
    /// What is measured so far.
    var sample = RequestSample(plannedAt: .distantFuture, finishedAt: .distantFuture)
    /// The connection or stream that it uses, if any.
    var carrier: Carrier?
    /// How far it has come.
    var course = RequestCourse(.none, limit: .zero, hasNetwork: true, at: .distantFuture)
    /// An answer that is on its way over the modelled network.
    var lateAnswer: RequestOutcome?
    var generation: UInt32 = 0
    var isOpen = false
    var nextOfDevice: Int32 = -1
}

/// The open requests of a shard, addressed by slot; slots are used again.
struct RequestTable {
    private var slots: ContiguousArray<OpenRequest> = []
    private var free: ContiguousArray<Int32> = []
    /// The first open request of each device.
    private var firstOfDevice: ContiguousArray<Int32>
    private(set) var count = 0

    init(deviceCount: Int) { firstOfDevice = ContiguousArray(repeating: -1, count: deviceCount) }

    /// Adds a request; its generation is set here.
    mutating func open(_ request: OpenRequest) -> RequestKey {
        let index: Int32
        if let last = free.popLast() {
            index = last
        } else {
            index = Int32(slots.count)
            slots.append(OpenRequest())
        }
        let generation = slots[Int(index)].generation &+ 1
        slots[Int(index)] = request
        slots[Int(index)].generation = generation
        slots[Int(index)].isOpen = true
        slots[Int(index)].nextOfDevice = firstOfDevice[Int(request.device)]
        firstOfDevice[Int(request.device)] = index
        count += 1
        return RequestKey(index: index, generation: generation)
    }

    /// Whether the request has not ended.
    func isOpen(_ key: RequestKey) -> Bool {
        slots[Int(key.index)].isOpen && slots[Int(key.index)].generation == key.generation
    }

    subscript(index: Int32) -> OpenRequest {
        _read { yield slots[Int(index)] }
        _modify { yield &slots[Int(index)] }
    }

    /// The key of the open request in a slot.
    func key(_ index: Int32) -> RequestKey {
        RequestKey(index: index, generation: slots[Int(index)].generation)
    }

    /// The slots of all open requests. O(slots).
    var openIndices: [Int32] { slots.indices.filter { slots[$0].isOpen }.map(Int32.init) }

    /// The first open request of a device, or -1; the others follow by `nextOfDevice`.
    func first(of device: UInt32) -> Int32 { firstOfDevice[Int(device)] }

    /// Takes a request out. O(open requests of its device).
    mutating func close(_ index: Int32) {
        precondition(slots[Int(index)].isOpen, "a request ends once")
        let device = Int(slots[Int(index)].device)
        let next = slots[Int(index)].nextOfDevice
        if firstOfDevice[device] == index {
            firstOfDevice[device] = next
        } else {
            var previous = firstOfDevice[device]
            while slots[Int(previous)].nextOfDevice != index {
                previous = slots[Int(previous)].nextOfDevice
            }
            slots[Int(previous)].nextOfDevice = next
        }
        slots[Int(index)].isOpen = false
        slots[Int(index)].carrier = nil
        free.append(index)
        count -= 1
    }
}
