import DeviceSDK
import Timebase
import World

extension Shard {
    /// Makes the changes that are due, on the devices that they concern.
    func changeNetworks() {
        defer { agenda.set(.networks, at: networkChanges.next) }
        while let moment = networkChanges.popDue(through: now) {
            for index in parts.indices
            where networkChanges.touches(population: parts[index].population, at: moment) {
                changeNetworks(of: index, at: moment)
            }
        }
    }

    private func changeNetworks(of index: Int, at moment: Instant) {
        let part = parts[index]
        for slot in 0..<part.fleet.deviceCount {
            let inPopulation = share.populationIndex(ofSlot: slot)
            guard let change = networkChanges.change(of: part.plan, index: inPopulation, at: moment) else {
                continue
            }
            let device = part.firstDevice + UInt32(slot)
            tick()
            // What was due before comes first; what is due at this very moment meets the new network.
            let before = moment - Interval(nanoseconds: 1)
            advance(device, due: overdue(device, at: before), through: before)
            let wake = part.fleet.setNetwork(change, of: slot, at: moment, effects: &effects)
            agenda.setWake(of: device, at: wake)
            absorbEffects(of: index)
        }
    }
}
