#if LIBFUZZER
    import Fuzzing
    import Glibc

    /// libFuzzer's loop, which chooses inputs by the code that they reach (LLVM, FuzzerInterface.h).
    @_silgen_name("LLVMFuzzerRunDriver")
    private func runDriver(
        _ count: UnsafeMutablePointer<Int32>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
        _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
    ) -> Int32

    /// Runs under libFuzzer: the first argument names the target, the rest is libFuzzer's.
    enum CoverageGuided {
        // SAFETY: set before libFuzzer's loop begins, used by its one thread.
        nonisolated(unsafe) private static var target: (any FuzzTarget)?

        static func run() {
            let arguments = CommandLine.arguments
            guard arguments.count > 1, let type = FuzzTargets.named(arguments[1]) else {
                complain("usage: beaconswarm-fuzz \(FuzzTargets.names.joined(separator: "|")) …")
                exit(64)
            }
            do { target = try type.init() } catch {
                complain("\(type.name) does not start: \(error)")
                exit(70)
            }
            let texts =
                [arguments[0], "-max_len=\(type.byteLimit)"] + dictionary(of: type) + arguments.dropFirst(2)
            var pointers = texts.map { strdup($0) } + [nil]
            var count = Int32(texts.count)
            pointers.withUnsafeMutableBufferPointer { buffer in
                guard var base = buffer.baseAddress else { return }
                exit(runDriver(&count, &base, CoverageGuided.tryInput))
            }
        }

        private static let tryInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32 = { bytes, count in
            let input = Array(UnsafeBufferPointer(start: bytes, count: count))
            do { try CoverageGuided.target?.check(input) } catch {
                CoverageGuided.complain("finding: \(error)")
                abort()
            }
            return 0
        }

        private static func complain(_ line: String) {
            let text = line + "\n"
            _ = write(STDERR_FILENO, text, text.utf8.count)
        }

        /// The target's words as a file in libFuzzer's form: `"…"` with `\xAB` for what is not plain.
        private static func dictionary(of type: any FuzzTarget.Type) -> [String] {
            let path = "/tmp/beaconswarm-fuzz-\(type.name).\(getpid()).dict"
            guard let file = fopen(path, "w") else { return [] }
            for word in type.dictionary {
                let text = word.utf8.map { byte -> String in
                    let isPlain = (0x20..<0x7F).contains(byte) && byte != 0x22 && byte != 0x5C
                    if isPlain { return String(Unicode.Scalar(byte)) }
                    return "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
                }
                fputs("\"\(text.joined())\"\n", file)
            }
            fclose(file)
            return ["-dict=\(path)"]
        }
    }
#endif
