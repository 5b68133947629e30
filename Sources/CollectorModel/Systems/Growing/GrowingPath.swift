/// A path of GrowingIO's collector: what is sent there.
struct GrowingPath: Equatable {
    enum Kind: Equatable {
        case events
        case items
    }

    var kind: Kind

    /// Reads a path's last components; `nil` if they are none of GrowingIO's.
    ///
    /// - `v3/projects/{account}/collect`: events of 3.x and 4.x;
    /// - `projects/{account}/collect/item`: items of the servers' SDKs;
    /// - `v3/{account}/ios/pv`, `cstm`, `imp`, `other`: the second protocol's channels;
    /// - `app/{account}/ios/ctvt`: activations of the advertising module.
    init?(_ path: String) {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"))
        func part(_ fromEnd: Int) -> Substring {
            fromEnd < parts.count ? Substring(parts[parts.count - 1 - fromEnd]) : ""
        }
        switch (part(3), part(2), part(1), part(0)) {
        case ("projects", _, "collect", "item"): kind = .items
        case ("v3", "projects", _, "collect"), ("v3", _, "ios", "pv"), ("v3", _, "ios", "cstm"),
            ("v3", _, "ios", "imp"), ("v3", _, "ios", "other"), ("app", _, "ios", "ctvt"):
            kind = .events
        default: return nil
        }
    }
}
