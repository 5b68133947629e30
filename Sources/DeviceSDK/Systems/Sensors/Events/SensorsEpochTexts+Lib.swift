import DeviceSDK
import Wire

extension SensorsEpochTexts {
    /// A super property `$app_version` stands in `lib` as well: in 4.x of everything, in 1.x of events alone
    /// (`track:withProperties:withType:`), not of profile changes.
    ///
    /// - Parameter ownVersion: That super property, with a comma after it; `nil` for none.
    mutating func writeLibs(_ catalogue: SensorsEventCatalogue, ownVersion: [UInt8]?) {
        let bundleVersion = catalogue.automatic.version(epoch.appVersion)
        func version(_ buffer: inout WireBuffer) {
            if let ownVersion {
                buffer.append(contentsOf: ownVersion)
            } else {
                buffer.append(bundleVersion)
            }
        }
        Self.write("iOS", catalogue.libVersion, version, to: &lib)
        Self.write("js", SensorsWebBridge.scriptVersion, version, to: &webLib)
        webLib.append("\"$lib_method\":\"code\"")
        plainLib.removeAll()
        guard !catalogue.isVersion4, ownVersion != nil else { return }
        Self.write("iOS", catalogue.libVersion, { $0.append(bundleVersion) }, to: &plainLib)
    }

    private static func write(
        _ name: StaticString, _ version: String, _ appVersion: (inout WireBuffer) -> Void,
        to lib: inout WireBuffer
    ) {
        lib.removeAll()
        lib.append(",\"lib\":{\"$lib\":\"")
        lib.append(name)
        lib.append("\",\"$lib_version\":\"")
        lib.append(version)
        lib.append("\",")
        appVersion(&lib)
    }
}
