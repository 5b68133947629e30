/// Where people live, as far as it makes a difference to what their phones say of themselves.
package enum Region: UInt8, Sendable, CaseIterable {
    /// Also where nothing but an offset is known.
    case china
    case germany
    case elsewhere

    /// - Parameter zone: A name of the IANA database, which tells a continent and a city; `UTC`, `Etc/GMT-8` and such names
    ///   tell no place.
    init(zone: String) {
        switch zone {
        case "Asia/Shanghai", "Asia/Urumqi", "Asia/Chongqing", "Asia/Chungking", "Asia/Harbin",
            "Asia/Kashgar":
            self = .china
        case "Europe/Berlin", "Europe/Busingen": self = .germany
        default: self = zone.contains("/") && !zone.hasPrefix("Etc/") ? .elsewhere : .china
        }
    }
}
