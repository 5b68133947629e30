/// A named, counter-based source of random numbers: draw n of a stream is a pure function of the
/// stream's key and n.
///
/// The key is made from the run's seed, the population's name, the device's index in it and the
/// purpose, so results depend neither on threads nor on the order of work, and a new draw for one
/// purpose moves no other. The generator is SplitMix64 (Steele, Lea, Flood: "Fast splittable
/// pseudorandom number generators", 2014) with its state as the counter; keys are made by two
/// rounds of the same finalizer.

package struct RandomStream: Sendable, Hashable {
    @usableFromInline package var key: UInt64
    @usableFromInline package var counter: UInt64

    /// What a stream is used for. New purposes are added at the end: a raw value is part of every
    /// recorded result.

    package enum Purpose: UInt64, Sendable {
        case traits = 1, arrival, sessions, screens, business, properties, trackIdentifiers, clock
        case lifecycle, remoteConfig, network, faults, retries, identity, test, clientFaults, push
        /// Far from the others, which are counted up.
        case zone = 64, installation, pattern, rollOut
        /// What a device is; `traits` is what its user is.
        case hardware
    }

    /// Makes the stream with an exact key, at its first draw.
    @inlinable
    package init(key: UInt64) {
        self.key = key
        counter = 0
    }

    /// Makes the stream of one purpose of one device.
    ///
    /// - Parameters:
    ///   - seed: The run's seed.
    ///   - population: ``hash(of:)`` of the population's name.
    ///   - index: The device's index in its population.
    package init(seed: UInt64, population: UInt64, index: UInt64, purpose: Purpose) {
        var key = RandomStream.mix(seed &+ 0x9E37_79B9_7F4A_7C15)
        key = RandomStream.mix(key ^ population)
        key = RandomStream.mix(key &+ index &* 0xD1B5_4A32_D192_ED03)
        self.init(key: RandomStream.mix(key ^ purpose.rawValue &* 0x8CB9_2BA7_2F3D_8DD7))
    }

    /// The stream's child with the given number, for draws that belong to one thing (an event, a
    /// request) and must not depend on how many draws others made before.
    @inlinable
    package func child(_ number: UInt64) -> RandomStream {
        RandomStream(key: RandomStream.mix(key ^ RandomStream.mix(number &+ 0xA076_1D64_78BD_642F)))
    }

    /// The next 64 random bits.
    @inlinable
    package mutating func next() -> UInt64 {
        counter &+= 1
        return RandomStream.mix(key &+ counter &* 0x9E37_79B9_7F4A_7C15)
    }

    /// A number in [0, 1) with 53 random bits.
    @inlinable
    package mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// An integer below `bound`, by multiplication (bias below `bound` / 2^64).
    ///
    /// - Precondition: `bound` > 0.
    @inlinable
    package mutating func below(_ bound: UInt64) -> UInt64 {
        precondition(bound > 0)
        return next().multipliedFullWidth(by: bound).high
    }

    /// `true` with the given probability; takes one draw whatever the probability is.
    @inlinable
    package mutating func chance(_ probability: Double) -> Bool { uniform() < probability }

    @inlinable
    static func mix(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// The 64-bit FNV-1a hash of a name's UTF-8: stable across processes, unlike `Hasher`.
    package static func hash(of name: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        return hash
    }
}
