/// Bodies of GrowingIO's that were recorded from other programs' codecs; `stm` is 1700000000123.
enum GoldenBodies {
    struct Body: Sendable, CustomStringConvertible {
        var compress: String
        var crypt: String
        var hexadecimal: String
        var description: String { "codec \(compress), crypt \(crypt)" }
    }

    /// What all of them hold.
    static let text = """
        [{"eventType":"VISIT","deviceId":"d-1","timestamp":1700000000000,"globalSequenceId":1,"eventSequenceId":1}]
        """

    static let all = [
        Body(
            compress: "3", crypt: "",
            hexadecimal: """
                f6275b7b226576656e7454797065223a225649534954222c226465766963654964223a22642d31222c227469\
                6d657374616d70223a3137300100e22c22676c6f62616c53657175656e330022312c540006140050223a317d\
                5d
                """),
        Body(
            compress: "3", crypt: "1",
            hexadecimal: """
                8d5c2000591e0d1e150f2f020b1e5941592d3228322f5957591f1e0d12181e321f5941591f564a5957590f12\
                161e080f1a160b59414a4c4b7a7b9957591c1714191a17281e0a0e1e15487b594a572f7b7d6f7b2b59414a06\
                26
                """),
        Body(
            compress: "2", crypt: "",
            hexadecimal: """
                6bd85b7b226576656e7454797065223a225649534954222c226465766963654964223a22642d31222c227469\
                6d657374616d70223a313730301502342c22676c6f62616c53657175656e093304312c09543853657175656e\
                63654964223a317d5d
                """),
        Body(
            compress: "2", crypt: "1",
            hexadecimal: """
                10a32000591e0d1e150f2f020b1e5941592d3228322f5957591f1e0d12181e321f5941591f564a5957590f12\
                161e080f1a160b59414a4c4b4b6e794f57591c1714191a17281e0a0e1e1572487f4a57722f43281e0a0e1e15\
                181e321f59414a0626
                """),
    ]

    /// An `EventV3List` of one PAGE.
    static let message = "0a100a03642d3130064080d095ffbc317801"
}
