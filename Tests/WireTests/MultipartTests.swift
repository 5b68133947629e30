import Testing
import Timebase

@testable import Wire

@Suite("Multipart forms")
struct MultipartTests {
    static let boundary = MultipartBoundary(0xAB, 0x1234_CDEF)

    static let body =
        "--Boundary+000000AB1234CDEF\r\n"
        + "Content-Disposition: form-data; name=\"file\"; filename=\"2016-10-24_userStatisics_u.zip\"\r\n"
        + "Content-Type: zip\r\n\r\nPK\r\n--\r\n\0\r\n--Boundary+000000AB1234CDEF--\r\n"

    /// The parts of a body as text, or the error.
    static func parts(
        _ body: [UInt8], boundary: MultipartBoundary = boundary, partLimit: Int = 16, headerLimit: Int = 4096
    ) -> Result<[String], MultipartError> {
        do throws(MultipartError) {
            let parts = try buffer(body).withUnsafeBytes { bytes throws(MultipartError) in
                var reader = MultipartReader(
                    bytes, boundary: boundary, partLimit: partLimit, headerLimit: headerLimit)
                var parts: [String] = []
                while let part = try reader.next() {
                    let content = String(decoding: part.content, as: UTF8.self)
                    parts.append("\(part.name)|\(part.filename ?? "-")|\(part.contentType ?? "-")|\(content)")
                }
                return parts
            }
            return .success(parts)
        } catch {
            return .failure(error)
        }
    }

    static func parts(_ body: String, boundary: String = "b") throws -> Result<[String], MultipartError> {
        let boundary = try MultipartBoundary(contentType: "multipart/form-data; boundary=\(boundary)")
        return parts(Array(body.utf8), boundary: boundary)
    }

    @Test("writes a file as AFNetworking 3 does")
    func writes() {
        let body = written { output in
            output.appendMultipartFile(
                name: "file", filename: "2016-10-24_userStatisics_u.zip", contentType: "zip",
                content: WireBuffer("PK\r\n--\r\n\0"), boundary: Self.boundary)
        }
        #expect(body == Self.body)
        #expect(Self.boundary.contentType == "multipart/form-data; boundary=Boundary+000000AB1234CDEF")
    }

    @Test("reads it, by the boundary of the header")
    func reads() throws {
        let boundary = try MultipartBoundary(contentType: Self.boundary.contentType)
        #expect(boundary == Self.boundary)
        let expected = "file|2016-10-24_userStatisics_u.zip|zip|PK\r\n--\r\n\0"
        #expect(Self.parts(Array(Self.body.utf8), boundary: boundary) == .success([expected]))
    }

    @Test("reads what it writes, whatever it is")
    func roundTrip() {
        for seed: UInt64 in 1...3 {
            var stream = RandomStream(testSeed: seed)
            for content in stream.contents() {
                let boundary = MultipartBoundary(
                    UInt32(truncatingIfNeeded: stream.next()), UInt32(truncatingIfNeeded: stream.next()))
                let body = writtenBytes { output in
                    output.appendMultipartFile(
                        name: "文件", filename: "a\"b\r\n.zip", contentType: "zip", content: buffer(content),
                        boundary: boundary)
                }
                body.withUnsafeBytes { bytes in
                    var reader = MultipartReader(bytes, boundary: boundary)
                    let part = try? reader.next()
                    #expect(part?.content.elementsEqual(content) == true, "seed \(seed)")
                    #expect(part?.name == "文件" && part?.filename == "a%22b%0D%0A.zip")
                    let rest = Result { try reader.next() == nil }
                    #expect((try? rest.get()) == true, "seed \(seed)")
                }
            }
        }
    }

    @Test("reads several parts, a preamble, an epilogue, padding and other headers")
    func grammar() throws {
        let body =
            "preamble\r\n--b \t\r\ncontent-disposition:form-data;name=a\r\nX-Other: 1\r\n\r\n1\r\n"
            + "--b\r\nContent-Disposition: FORM-DATA; Name=\"b\\\"c\"; filename=\"C:\\d\";\r\n\r\n\r\n"
            + "--b\r\nContent-Disposition: form-data; name=c\r\n\r\n--b--\r\nepilogue --b"
        #expect(try Self.parts(body) == .success(["a|-|-|1", "b\"c|C:\\d|-|", "c|-|-|"]))
        #expect(try Self.parts("--b--") == .success([]))
        // The boundary counts at a line's beginning alone.
        let inline = "--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx--b\n--b\r\n--b--\r\n"
        #expect(try Self.parts(inline) == .success(["a|-|-|x--b\n--b"]))
    }

    @Test(
        "reads the boundary of any good header, and says why of none",
        arguments: [
            ("multipart/form-data; boundary=abc", "abc", nil),
            ("Multipart/Form-Data;charset=utf-8; Boundary=\"a b:c\"", "a b:c", nil),
            (
                "multipart/form-data;boundary=----WebKitFormBoundary7MA4YWxk;",
                "----WebKitFormBoundary7MA4YWxk", nil
            ),
            ("application/json", "", .wrongContentType("application/json")), ("", "", .wrongContentType("")),
            ("multipart/form-data", "", .missingBoundary("multipart/form-data")),
            (
                "multipart/form-data; boundary=a; boundary=b", "",
                .missingBoundary("multipart/form-data; boundary=a; boundary=b")
            ),
            (
                "multipart/form-data; boundary=\"a\"b", "",
                .wrongContentType("multipart/form-data; boundary=\"a\"b")
            ),
            ("multipart/form-data; boundary=\"\"", "", .invalidBoundary("")),
            ("multipart/form-data; boundary=\"a \"", "", .invalidBoundary("a ")),
            ("multipart/form-data; boundary=\"a\r\n\"", "", .invalidBoundary("a\r\n")),
        ] as [(String, String, MultipartError?)])
    func boundaries(header: String, boundary: String, error: MultipartError?) {
        do throws(MultipartError) {
            let read = try MultipartBoundary(contentType: header)
            #expect(read.text == boundary && error == nil)
        } catch let found {
            #expect(found == error)
        }
        let long = String(repeating: "a", count: 71)
        #expect(throws: MultipartError.invalidBoundary(long)) {
            try MultipartBoundary(contentType: "multipart/form-data; boundary=\(long)")
        }
    }

    @Test(
        "names what is wrong with a body, and where",
        arguments: [
            ("", .noDelimiter), ("x--b\r\n", .noDelimiter), ("--b", .truncated(offset: 0)),
            ("--bc\r\n", .malformedDelimiter(offset: 0)), ("--b--x", .malformedDelimiter(offset: 0)),
            ("x\r\n--bc", .malformedDelimiter(offset: 3)), ("--b\r\n", .truncated(offset: 5)),
            ("--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--", .truncated(offset: 5)),
            ("--b\r\nno header\r\n\r\n\r\n--b--", .malformedHeader(offset: 5)),
            (
                "--b\r\nA: b\r\nContent-Disposition: form-data; name=\"a\r\n\r\n\r\n--b--",
                .malformedHeader(offset: 11)
            ),
            (
                "--b\r\nContent-Disposition: form-data; name=a; name=b\r\n\r\n\r\n--b--",
                .malformedHeader(offset: 5)
            ),
            ("--b\r\n\r\nx\r\n--b--", .missingName(offset: 5)),
            ("--b\r\nContent-Disposition: attachment; name=a\r\n\r\nx\r\n--b--", .missingName(offset: 5)),
            (
                "--b\r\nContent-Transfer-Encoding: base64\r\n\r\nx\r\n--b--",
                .unsupportedEncoding("base64", offset: 5)
            ),
        ] as [(String, MultipartError)])
    func errors(body: String, error: MultipartError) throws {
        #expect(try Self.parts(body) == .failure(error))
    }

    @Test("holds its limits, to the unit")
    func limits() {
        let body = Array(Self.body.utf8)
        #expect(Self.parts(body, partLimit: 0) == .failure(.tooManyParts(limit: 0)))
        let headers =
            "Content-Disposition: form-data; name=\"file\"; filename=\"2016-10-24_userStatisics_u.zip\"\r\n"
            .utf8.count + "Content-Type: zip\r\n".utf8.count
        guard case .success = Self.parts(body, partLimit: 1, headerLimit: headers) else {
            Issue.record("\(headers) bytes of headers do not fit")
            return
        }
        let expected = MultipartError.headersTooLong(limit: headers - 1, offset: 29)
        #expect(Self.parts(body, headerLimit: headers - 1) == .failure(expected))
        // More parameters than anybody has.
        let many = (0..<17).map { "; p\($0)=1" }.joined()
        #expect(throws: MultipartError.wrongContentType("multipart/form-data" + many)) {
            try MultipartBoundary(contentType: "multipart/form-data" + many)
        }
    }

    @Test("gives an error for every cut but the last line end's, and never a trap for a flipped bit")
    func damage() {
        let body = Array(Self.body.utf8)
        for damaged in damages(of: body) {
            guard case .success(let parts) = Self.parts(damaged) else { continue }
            #expect(damaged.count >= body.count - 2)
            // Without its first delimiter the part is a preamble.
            let isPreamble = !damaged.starts(with: "--\(Self.boundary.text)".utf8)
            #expect(parts.count == (isPreamble ? 0 : 1))
        }
        let seed: UInt64 = 7578
        var stream = RandomStream(testSeed: seed)
        let alphabet = Array("\r\n-b:;=\" a".utf8)
        for _ in 0..<20_000 {
            let random = (0..<stream.below(40)).map { _ in alphabet[Int(stream.below(UInt64(alphabet.count)))]
            }
            _ = try? Self.parts(
                Array("--b\r\n".utf8) + random,
                boundary: MultipartBoundary(contentType: "multipart/form-data; boundary=b")
            ).get()
        }
    }
}
