extension LiveEngine {
    /// A number of devices as one that fits: what it follows from is right to some hundredths.
    ///
    /// - Returns: two significant digits, rounded down.
    package static func fitting(_ devices: Int) -> Int {
        var unit = 1
        while devices / unit >= 100 { unit *= 10 }
        return devices / unit * unit
    }

    /// What would fit, in words that somebody can type.
    ///
    /// - Parameter devices: Of the whole scenario, whether they are in use or not: so they are asked for.
    package static func wouldFit(_ devices: Int) -> String {
        let fitting = fitting(devices)
        return fitting > 0 ? "\(fitting) devices would fit (--devices \(fitting))" : "no device would fit"
    }
}
