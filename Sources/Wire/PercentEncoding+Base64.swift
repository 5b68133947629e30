/// Base64 on its way into a form: encoded, hashed and escaped in one pass.
extension PercentEncoding {
    /// Appends the encoding of the base64 of `input`, as ``Base64`` and ``encode(_:into:)-(UnsafeRawBufferPointer,_)``
    /// write it one after the other. O(`input.count`).
    ///
    /// - Returns: The ``JavaHash`` of the base64 text before anything in it is escaped.
    package func encodeBase64(
        of input: UnsafeRawBufferPointer, into output: inout WireBuffer
    ) -> Int32 {
        guard let source = input.baseAddress else { return 0 }
        var hash: UInt32 = 0
        // Each character becomes three at most; a step stores eight bytes, and an escape four.
        output.append(upTo: Base64.encodedCount(of: input.count) * 3 + 8) { memory in
            var length = 0
            var offset = 0
            Base64.pairs.withUnsafeBufferPointer { pairs in
                // Six bytes a step, of the eight that are read.
                while offset &+ 8 <= input.count {
                    let word = Base64.word(at: source + offset, pairs)
                    hash = JavaHash.next(hash, word)
                    length &+= write(word, to: memory + length)
                    offset &+= 6
                }
            }
            let rest = UnsafeRawBufferPointer(rebasing: input[offset...])
            length &+= writeEnd(rest, &hash, to: memory + length)
            return length
        }
        return Int32(bitPattern: hash)
    }

    /// Writes eight characters of base64, of which few need an escape.
    @inline(__always)
    private func write(_ word: UInt64, to memory: UnsafeMutableRawPointer) -> Int {
        if !hasMark(word) {
            memory.storeBytes(of: word.littleEndian, as: UInt64.self)
            return 8
        }
        return writeEach(of: word, count: 8, to: memory)
    }

    /// Writes the first characters of a word one by one.
    @inline(__always)
    private func writeEach(of word: UInt64, count: Int, to memory: UnsafeMutableRawPointer) -> Int {
        units.withUnsafeBufferPointer { units in
            var word = word
            var length = 0
            for _ in 0..<count {
                let unit = units[Int(word & 0xFF)]
                memory.storeBytes(of: unit.littleEndian, toByteOffset: length, as: UInt32.self)
                length &+= Int(unit &>> 24)
                word &>>= 8
            }
            return length
        }
    }

    /// Writes what up to seven bytes at the end become, padding included.
    private func writeEnd(
        _ rest: UnsafeRawBufferPointer, _ hash: inout UInt32, to memory: UnsafeMutableRawPointer
    ) -> Int {
        guard let source = rest.baseAddress else { return 0 }
        let count = Base64.encodedCount(of: rest.count)
        var text = InlineArray<12, UInt8>(repeating: 0)
        withUnsafeMutableBytes(of: &text) { text in
            if let start = text.baseAddress { Base64.encode(from: source, count: rest.count, to: start) }
        }
        var length = 0
        for index in 0..<count {
            hash = hash &* 31 &+ UInt32(text[index])
            length &+= writeEach(of: UInt64(text[index]), count: 1, to: memory + length)
        }
        return length
    }
}
