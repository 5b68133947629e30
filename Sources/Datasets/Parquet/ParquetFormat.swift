import Wire

/// How a Parquet file is written.
package struct ParquetOptions: Sendable {
    /// How pages are packed.
    package enum Compression: String, Sendable, CaseIterable {
        case none, snappy, zstd

        /// `CompressionCodec` of parquet.thrift.
        var code: Int32 {
            switch self {
            case .none: 0
            case .snappy: 1
            case .zstd: 6
            }
        }
    }

    package var compression = Compression.zstd
    /// The rows of each row group but the last: what a reader takes in parallel, and what is in memory, packed.
    package var rowGroupRows = 1 << 17
    /// The rows of each page at most; a page of long texts ends at ``pageBytes``.
    package var pageRows = 1 << 14
    package var pageBytes = 1 << 20
    /// Keys and values of the file's metadata.
    package var metadata: [(key: String, value: String)] = []
    /// The program and its version, such as `beaconswarm version 1.2.3`.
    package var createdBy = "beaconswarm"

    package init() {}
}

/// Names and numbers of parquet.thrift (github.com/apache/parquet-format).
enum Parquet {
    static let magic = Array("PAR1".utf8)

    enum Encoding {
        static let plain: Int32 = 0
        static let runLengths: Int32 = 3
        static let dictionary: Int32 = 8
    }

    enum Page {
        static let data: Int32 = 0
        static let dictionary: Int32 = 2
    }

    enum Repetition {
        static let required: Int32 = 0
        static let optional: Int32 = 1
    }
}

extension ColumnType {
    /// `Type` of parquet.thrift.
    var parquetType: Int32 {
        switch self {
        case .bool: 0
        case .int64, .timestampMillis, .timestampMicros: 2
        case .double: 5
        case .string: 6
        }
    }

    /// What readers of before 2.4 go by (`ConvertedType`).
    var parquetConvertedType: Int32? {
        switch self {
        case .string: 0
        case .timestampMillis: 9
        case .timestampMicros: 10
        case .int64, .double, .bool: nil
        }
    }

    /// Writes the field `logicalType` of a schema element, if the type has one.
    func writeLogicalType(to thrift: inout ThriftWriter) {
        switch self {
        case .string: thrift.field(10) { $0.field(1) { _ in } }
        case .timestampMillis, .timestampMicros:
            let unit: Int16 = self == .timestampMillis ? 1 : 2
            thrift.field(10) { logical in
                logical.field(8) { timestamp in
                    timestamp.field(1, bool: true)  // isAdjustedToUTC
                    timestamp.field(2) { $0.field(unit) { _ in } }
                }
            }
        case .int64, .double, .bool: break
        }
    }
}
