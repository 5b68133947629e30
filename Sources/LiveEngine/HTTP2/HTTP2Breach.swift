/// What an answer on a stream of HTTP/2 breaks of the rules: it ends the stream alone (RFC 9113, 8.1.1).
enum HTTP2Breach: UInt8 {
    case noStatus, badStatus, switching
    case fieldName, upperCase, pseudoField, connectionField, fieldValue
    case length, dataEarly, moreData, lessData, blockLate, endsEarly, tooLong

    /// For people.
    var words: String {
        switch self {
        case .noStatus: "HEADERS that do not begin with :status"
        case .badStatus: "a :status that is no number from 100 to 999"
        case .switching: "a :status of 101, which HTTP/2 does not have"
        case .fieldName: "a field's name that is empty or has a character that no name may have"
        case .upperCase: "a field's name with a capital letter"
        case .pseudoField: "a field whose name begins with a colon, beside the :status that comes first"
        case .connectionField: "a field that only HTTP/1.1 has, such as connection or transfer-encoding"
        case .fieldValue: "a field's value with the end of a line or a zero byte"
        case .length: "a content-length that is no number, or not the same twice"
        case .dataEarly: "DATA before the HEADERS of a final answer"
        case .moreData: "more DATA than content-length says"
        case .lessData: "less DATA than content-length says"
        case .blockLate: "HEADERS after those of the final answer, which do not end it"
        case .endsEarly: "the end of the stream before the HEADERS of a final answer"
        case .tooLong: "a body of more than \(ResponseParser.bodyLimit) bytes"
        }
    }
}
