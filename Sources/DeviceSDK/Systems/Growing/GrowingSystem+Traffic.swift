import DeviceSDK
import Timebase

/// The day's bytes over cellular networks (`GrowingDataTraffic.m`): kept in a file of the SDK's own, through
/// the encryption service, as `bytes/yyyy-MM-dd`.
extension GrowingSystem {
    /// The bytes of the present day.
    mutating func trafficBytes(of device: inout Device, now: Instant) -> UInt64 {
        localDay(now, of: device) == device.trafficDay ? device.trafficBytes : 0
    }

    mutating func addTraffic(_ bytes: UInt64, of device: inout Device, now: Instant) {
        device.trafficBytes = trafficBytes(of: &device, now: now) + bytes
        device.trafficDay = localDay(now, of: device)
        let local = now + encoder.skew(Int(device.index))
        let date = CivilTime(local, offset: plan.utcOffset(index: Int(device.index), at: local)).dateText
        let text = Array("\(device.trafficBytes)/\(date)".utf8)
        device.trafficFile = ContiguousArray(services.encryption?.encryptLocalData(text) ?? text)
    }

    /// A process reads the file when it starts; what cannot be read counts as nothing.
    mutating func readTraffic(of device: inout Device) {
        device.trafficBytes = 0
        device.trafficDay = .min
        guard !device.trafficFile.isEmpty else { return }
        let file = Array(device.trafficFile)
        let text = String(decoding: services.encryption?.decryptLocalData(file) ?? file, as: UTF8.self)
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let bytes = UInt64(parts[0]), let day = Self.day(parts[1]) else { return }
        device.trafficBytes = bytes
        device.trafficDay = day
    }

    private static func day(_ date: Substring) -> Int64? {
        let parts = date.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, (1...12).contains(parts[1]), (1...31).contains(parts[2]) else { return nil }
        return CivilTime.days(year: parts[0], month: parts[1], day: parts[2])
    }
}
