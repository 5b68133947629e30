import Testing

@testable import SDKImport

@Suite("Options of copied curl commands")
struct CurlReaderTests {
    private func request(_ curl: String) throws -> CapturedRequest {
        let requests = try CaptureReader.read(Array(curl.utf8))
        try #require(requests.count == 1)
        return requests[0]
    }

    private func problem(_ curl: String) -> CaptureProblem? {
        do throws(CaptureProblem) {
            _ = try CaptureReader.read(Array(curl.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "letters that stand together are read one by one, and the first with a value takes the rest",
        arguments: [
            "curl -sSX PUT http://h/e -d '[]'", "curl -sSXPUT http://h/e -d '[]'",
            "curl -kvXPUT -sd '[]' http://h/e", "curl -fsSLo /dev/null -X PUT http://h/e -d'[]'",
            "curl -sm5 -XPUT http://h/e -d '[]'",
        ])
    func letters(curl: String) throws {
        let request = try request(curl)
        #expect(request.method == "PUT" && request.origin == "http://h" && request.path == "/e")
        #expect(request.body == Array("[]".utf8))
    }

    @Test("options have their values in long form as well, and a bearer's token is an authorization")
    func words() throws {
        let curl =
            "curl --range 0-5 --proxy-user u:p --max-redirs 3 --tls-max 1.3 http://h/e --speed-limit 9 -d '[]'"
        let request = try request(curl)
        #expect(request.origin == "http://h" && request.path == "/e" && request.body == Array("[]".utf8))
        let bearer = try self.request("curl --oauth2-bearer t http://h/e -d '[]'")
        #expect(bearer.header("authorization") == "Bearer t")
    }

    @Test(
        "values of options that say nothing of the request are not taken for its URL",
        arguments: [
            "--proxy-header x:y", "--aws-sigv4 aws:amz", "--dns-servers 1.1.1.1", "--cacert a.pem",
            "--resolve h:80:127.0.0.1", "--connect-to ::a:80", "--doh-url https://d/", "--preproxy p:1",
            "--happy-eyeballs-timeout-ms 5", "--haproxy-clientip 1.2.3.4", "--ech grease", "--hsts h.txt",
            "--cacert=a.pem", "--variable a=b", "--request-target /x", "--output-dir /tmp", "--rate 2/s",
            "--no-keepalive --http2 --compressed -kLsSfi#", "-o /dev/null", "-x p:1", "-E c:p", "-z x",
            "-w %{url}",
        ])
    func values(options: String) throws {
        for curl in ["curl \(options) http://h/e -d '[]'", "curl http://h/e -d '[]' \(options)"] {
            let request = try request(curl)
            #expect(request.origin == "http://h" && request.path == "/e")
            #expect(request.method == "POST" && request.body == Array("[]".utf8))
        }
    }

    @Test(
        "bodies are put together as curl does it",
        arguments: [
            (#"--json '{"a":' --json '1}'"#, #"{"a":1}"#), ("-d a --json b -d c", "ab&c"),
            ("-d a=1 --data-raw @b --data-binary 'c d'", "a=1&@b&c d"),
            ("--data-urlencode 'a b&ü/~'", "a+b%26%C3%BC%2F~"), ("--data-urlencode '=a=b c'", "a%3Db+c"),
            ("--data-urlencode 'n m=a b=c'", "n m=a+b%3Dc"), ("--data-urlencode '=@a'", "%40a"),
            ("--data-urlencode 'a@b=c@d'", "a@b=c%40d"), ("-d x --data-urlencode ' a '", "x&+a+"),
        ])
    func bodies(options: String, body: String) throws {
        let request = try request("curl http://h/e \(options)")
        #expect(String(decoding: request.body, as: UTF8.self) == body && request.method == "POST")
        let types = request.headers.filter { $0.name == "Content-Type" }.map(\.value)
        let isJSON = options.contains("--json")
        #expect(types == [isJSON ? "application/json" : "application/x-www-form-urlencoded"])
    }

    @Test(
        "what is in a file is no body in the command",
        arguments: ["--data-urlencode @f", "--data-urlencode n@f", "--json @f", "-d @f", "--url-query n@f"])
    func files(options: String) {
        #expect(problem("curl http://h/e \(options)")?.found.hasPrefix("a body in the file ") == true)
    }

    @Test("a query of its own option stands beside a body, and an own type of content is not overruled")
    func query() throws {
        let found = try request(
            "curl 'http://h/e?z=0' --url-query 'a=b c' --url-query +d=%20e --json '[]' -H 'content-type: x'")
        #expect(found.query == [.init("z", "0"), .init("a", "b c"), .init("d", " e")])
        #expect(found.body == Array("[]".utf8) && found.header("content-type") == "x")
        #expect(found.headers.count == 1)
        let other = try request("curl -G http://h/e -d a=1 --url-query b=2")
        #expect(other.query == [.init("a", "1")] && other.method == "GET" && other.body.isEmpty)
    }

    @Test("letters for a query, and for headers")
    func others() throws {
        let query = try request("curl -sG http://h/e -d a=1 -d b=2")
        #expect(query.method == "GET" && query.body.isEmpty)
        #expect(query.query == [.init("a", "1"), .init("b", "2")])
        let headers = try request("curl -isH 'X-A: 1' -HX-B:2 http://h/e")
        #expect(headers.header("x-a") == "1" && headers.header("x-b") == "2")
        #expect(problem("curl -sSX")?.found == "-X at the end")
        #expect(problem("curl -sT x http://h")?.found == "-T")
        #expect(problem("curl --form-string a=b http://h")?.found == "--form-string")
        #expect(problem("curl --expand-data {{a}} http://h")?.found == "--expand-data")
        #expect(problem("curl http://h --dns-servers")?.found == "--dns-servers at the end")
    }

    @Test("a header without a value is not sent, and one with a semicolon is empty")
    func emptyHeaders() throws {
        let found = try request(
            "curl http://h/e -H 'Accept:' -H 'Content-Type: ' -H 'X-Empty;' -H 'X-A: 1' -H nothing -d '[]'")
        #expect(found.headers == [.init("X-Empty", ""), .init("X-A", "1")])
    }

    @Test(
        "commands for Windows' cmd are told as such, and that browsers have others",
        arguments: [
            "curl \"http://h/e\" ^\r\n  -H \"a: b\"", "curl ^\"http://h/e^\" ^\r\n  -H ^\"a: b^\"",
        ])
    func windows(curl: String) throws {
        let told = try #require(problem(curl))
        #expect(told.found.contains("Windows' cmd") && told.place == "line 1")
        #expect(told.allowed.contains("Copy as cURL (bash)"))
    }
}
