import SDKDescription

extension DescriptionReader {
    /// Files are sent as they are, oldest first.
    static func checkSeal(
        _ seal: DescribedSDK.Seal, _ sdk: DescribedSDK, _ place: Place, _ reading: inout Reading
    ) {
        refuse(
            ["upload", "batch"], in: place, unless: false,
            because: "no batch with storage.seal: a file is sent as it is", &reading)
        refuse(
            ["upload", "maxBytes"], in: place, unless: sdk.upload.maxBytes == nil,
            because: "no maxBytes with storage.seal: its bytes are the file's", &reading)
        refuse(
            ["storage", "order"], in: place, unless: sdk.storage.order == .oldest,
            because: "files are sent oldest first", &reading)
        refuse(
            ["storage", "removeBy"], in: place, unless: sdk.storage.removeBy == .id,
            because: "a file leaves by itself", &reading)
        refuse(
            ["storage", "seal", "together"], in: place, unless: seal.at == .day,
            because: "together only with \"at\": \"day\"", &reading)
        let verdicts = sdk.answers.rules.map(\.verdict)
        refuse(
            ["answers"], in: place, unless: !verdicts.contains(.halve),
            because: "no \"halve\" with storage.seal: a file is sent as it is until it leaves", &reading)
        guard seal.at == .day else { return }
        refuse(
            ["storage", "seal", "events"], in: place, unless: seal.events == nil,
            because: "no events with \"at\": \"day\": a file has a day", &reading)
        refuse(
            ["storage", "seal", "bytes"], in: place, unless: seal.bytes == nil,
            because: "no bytes with \"at\": \"day\": a file has a day", &reading)
        refuse(
            ["answers"], in: place, unless: !verdicts.contains(.split),
            because: "no \"split\" with \"at\": \"day\": a file has a day", &reading)
    }
}
