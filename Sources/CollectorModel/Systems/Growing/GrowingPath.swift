/// A path of GrowingIO's collector: what is sent there, and for which account.
struct GrowingPath: Equatable {
    enum Kind: Equatable {
        case events
        case items
    }

    var kind: Kind
    var account: String

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
        case ("v3", "projects", let account, "collect"): self.init(kind: .events, account: String(account))
        case ("projects", let account, "collect", "item"): self.init(kind: .items, account: String(account))
        case ("v3", let account, "ios", "pv"), ("v3", let account, "ios", "cstm"),
            ("v3", let account, "ios", "imp"), ("v3", let account, "ios", "other"),
            ("app", let account, "ios", "ctvt"):
            self.init(kind: .events, account: String(account))
        default: return nil
        }
    }

    private init(kind: Kind, account: String) {
        self.kind = kind
        self.account = account
    }
}
