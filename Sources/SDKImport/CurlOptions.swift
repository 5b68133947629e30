/// Which options of curl 8 have a value, with those that it has given up. That decides how the words after an option
/// are read, even where it says nothing of the request.
///
/// Names are the long ones, without dashes.
enum CurlOptions {
    /// `nil` for a letter without a value that says nothing of a body.
    static func name(ofLetter letter: UInt8) -> String? { letters[Character(UnicodeScalar(letter))] }

    static func hasValue(_ name: String) -> Bool { withValues.contains(name) }

    private static let letters: [Character: String] = [
        "A": "user-agent", "b": "cookie", "c": "cookie-jar", "C": "continue-at", "d": "data",
        "D": "dump-header", "e": "referer", "E": "cert", "F": "form", "G": "get", "h": "help",
        "H": "header", "K": "config", "m": "max-time", "o": "output", "P": "ftp-port", "Q": "quote",
        "r": "range", "t": "telnet-option", "T": "upload-file", "u": "user", "U": "proxy-user",
        "w": "write-out", "x": "proxy", "X": "request", "y": "speed-time", "Y": "speed-limit",
        "z": "time-cond",
    ]

    private static let withValues = Set(
        """
        abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout
        connect-to continue-at cookie cookie-jar create-file-mode crlfile curves data data-ascii data-binary
        data-raw data-urlencode delegation dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url
        dump-header ech egd-file engine etag-compare etag-save expect100-timeout form form-string
        ftp-account ftp-alternative-to-user ftp-method ftp-port ftp-ssl-ccc-mode happy-eyeballs-timeout-ms
        haproxy-clientip header help hostpubmd5 hostpubsha256 hsts interface ip-tos ipfs-gateway json
        keepalive-cnt keepalive-time key key-type knownhosts krb krb4 libcurl limit-rate local-port
        login-options mail-auth mail-from mail-rcpt max-filesize max-redirs max-time netrc-file noproxy
        oauth2-bearer output output-dir parallel-max parallel-max-host pass pinnedpubkey preproxy proto
        proto-default proto-redir proxy proxy-cacert proxy-capath proxy-cert proxy-cert-type proxy-ciphers
        proxy-crlfile proxy-header proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name
        proxy-tls13-ciphers proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-user proxy1.0 pubkey
        quote random-file range rate referer request request-target resolve retry retry-delay retry-max-time
        sasl-authzid service-name sigalgs socks4 socks4a socks5 socks5-gssapi-service socks5-hostname
        speed-limit speed-time ssl-sessions stderr telnet-option tftp-blksize time-cond tls-max
        tls13-ciphers tlsauthtype tlspassword tlsuser trace trace-ascii trace-config unix-socket upload-file
        upload-flags url url-query user user-agent variable vlan-priority write-out
        """.split { $0.isWhitespace }.map(String.init))
}
