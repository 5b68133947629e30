/// The rule that an answer breaks: of HTTP/1.1, where it ends the connection, or on a stream of HTTP/2, which it ends
/// alone (RFC 9112; RFC 9113, 8.1.1).
enum AnswerBreach: UInt8 {
    // HTTP/1.1
    case statusLine, lowStatus, upgrade, headTooLong, noColon, chunkSize, chunkEnd
    // HTTP/2
    case noStatus, badStatus, switching
    case upperCase, pseudoField, connectionField, paddedValue
    case dataEarly, moreData, lessData, blockLate, endsEarly
    // Both
    case fieldName, fieldValue, length, tooLong, packing, foreignPacking

    /// For people.
    var words: String {
        switch self {
        case .statusLine: "a first line that is no status line of HTTP/1.1 or 1.0"
        case .lowStatus: "a status below 100"
        case .upgrade: "a status of 101, though no other protocol was asked for"
        case .headTooLong:
            "more than \(ResponseParser.headLimit) bytes of status line and fields, or of one line"
        case .noColon: "a line without a colon among the fields"
        case .chunkSize:
            "a line before a chunk that does not begin with its size, or with one that is too large"
        case .chunkEnd: "a chunk that goes on beyond its size"
        case .noStatus: "HEADERS that do not begin with :status"
        case .badStatus: "a :status that is no number from 100 to 999"
        case .switching: "a :status of 101, which HTTP/2 does not have"
        case .fieldName: "a field's name that is empty or has a character that no name may have"
        case .upperCase: "a field's name with a capital letter"
        case .pseudoField: "a field whose name begins with a colon, beside the :status that comes first"
        case .connectionField: "a field that only HTTP/1.1 has, such as connection or transfer-encoding"
        case .paddedValue: "a field's value that begins or ends with a blank"
        case .fieldValue: "a field's value with the end of a line or a zero byte"
        case .length: "a content-length that is no number or too large, or not the same twice"
        case .dataEarly: "DATA before the HEADERS of a final answer"
        case .moreData: "more DATA than content-length says"
        case .lessData: "less DATA than content-length says"
        case .blockLate: "HEADERS after those of the final answer, which do not end it"
        case .endsEarly: "the end of the stream before the HEADERS of a final answer"
        case .tooLong: "a body of more than \(ResponseParser.bodyLimit) bytes"
        case .packing: "a body that is not what its content-encoding says"
        case .foreignPacking: "a body whose content-encoding is not read: gzip and deflate are"
        }
    }
}
