import Timebase

/// The numbers of deals in the things of a catalogue, such as orders of products.
///
/// A deal's number tells its thing (the remainder by how many there are), and above it the device and which of its
/// deals it is. So all events of an order can tell the same, and no two of the first 32,767 devices of a population
/// share a number until one has had 64 deals in the same thing.
package enum Deal {
    /// Deals of a device in a thing before numbers repeat.
    package static let perDevice: UInt32 = 64
    /// Devices before numbers repeat.
    package static let devices: UInt32 = 32_767

    /// How many numbers deals have.
    ///
    /// - Parameter things: How many things there are, 1 to 2,048.
    package static func count(things: Int) -> Int { things * Int(perDevice * devices) }

    /// A deal's number.
    ///
    /// - Parameters:
    ///   - device: The device's index in its population.
    ///   - ordinal: Which of the device's deals it is, from 0.
    static func number(thing: UInt32, of things: UInt32, device: UInt32, ordinal: UInt8) -> UInt32 {
        // Each device begins elsewhere: else everybody's first orders would be alike.
        let start = UInt32(truncatingIfNeeded: RandomStream(key: UInt64(device)).child(0).key)
        let own = (start &+ UInt32(ordinal)) % perDevice
        return thing + things * (device % devices * perDevice + own)
    }
}

/// A user's deals so far, in a byte: there is one for each device.
struct DealCount: Hashable, Sendable {
    /// The lowest bit is ``isWithheld``; the others count, over and over.
    private var bits: UInt8 = 0

    /// Which of the user's deals the last one is. Numbers of deals repeat earlier than this does.
    var ordinal: UInt8 { bits >> 1 }

    /// A pattern keeps the deal from coming about, and with it all that belongs to it.
    var isWithheld: Bool {
        get { bits & 1 != 0 }
        set { bits = bits & ~1 | (newValue ? 1 : 0) }
    }

    /// Nothing withholds the next one yet.
    mutating func beginNext() { bits = (bits | 1) &+ 1 }
}
