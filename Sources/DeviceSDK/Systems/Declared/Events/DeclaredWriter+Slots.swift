import DeviceSDK
import SDKDescription
import Timebase
import World

/// What placeholders stand for: text without quotes, escaped.
extension DeclaredWriter {
    /// Whether an event has no such value.
    func isAbsent(_ source: Placeholder.Source) -> Bool {
        switch source {
        case .userID: epoch.account == nil || !identity.tellsUsers
        case .deviceCarrier: texts.carriers[traits.carrierIndex] == nil
        case .sessionPreviousID: epoch.session <= epoch.firstSession
        default: texts.text(source, of: record, isTap: record.template == taps) == nil
        }
    }

    func put(
        _ source: Placeholder.Source, _ form: DeclaredSlotForm, to cursor: inout DeclaredCursor
    ) {
        switch source {
        case .time: put(record.capturedAt, form.time, to: &cursor)
        case .sent: put(sentAt, form.time, to: &cursor)
        case .sealed: put(sealedAt, form.time, to: &cursor)
        case .sender: putDistinct(sender, form.letters, to: &cursor)
        case .id:
            cursor.noteChance(nil)
            cursor.put(
                identity.event, traits.eventIDs.child(UInt64(record.sequence)),
                at: record.capturedAt + traits.clockSkew, letters: form.letters)
        case .row: cursor.put(UInt64(record.sequence) + 1)
        case .sessionEventIndex: cursor.put(Int64(record.sequence) - Int64(epoch.sessionFirst) + 1)
        case .screenName, .screenClass, .screenTitle, .screenPreviousName, .elementText, .elementClass:
            if let text = texts.text(source, of: record, isTap: record.template == taps) {
                cursor.put(text[Int(form.letters.rawValue)])
            }
        default: putStable(source, form, to: &cursor)
        }
    }

    private func put(
        _ moment: Instant, _ time: DeclaredSlotForm.Time, to cursor: inout DeclaredCursor
    ) {
        let local = moment + traits.clockSkew
        switch time {
        case .iso: cursor.put(iso: local)
        case .milliseconds: cursor.put(local.milliseconds)
        case .seconds: cursor.put(local.milliseconds / 1000)
        case .microseconds: cursor.put(local.milliseconds * 1000)
        case .nanoseconds: cursor.put(local.milliseconds * 1_000_000)
        }
    }

    private func putStable(
        _ source: Placeholder.Source, _ form: DeclaredSlotForm, to cursor: inout DeclaredCursor
    ) {
        let start = cursor.count
        let letters = Int(form.letters.rawValue)
        switch source {
        case .sessionStart: put(epoch.sessionStart, form.time, to: &cursor)
        case .deviceID:
            cursor.put(
                .uuid, traits.vendor(ofInstallation: epoch.installation), at: epoch.anonymousSince,
                letters: form.letters)
        case .deviceModel: cursor.put(traits.machine)
        case .deviceWidth: cursor.put(Int64(traits.width))
        case .deviceHeight: cursor.put(Int64(traits.height))
        case .deviceCarrier:
            if let carrier = texts.carriers[traits.carrierIndex] { cursor.put(carrier[letters]) }
        case .deviceTimeZone: cursor.put(texts.zones[traits.zoneIndex][letters])
        case .osVersion: cursor.put(traits.osVersion)
        case .appVersion: cursor.put(texts.versions[Int(epoch.appVersion)][letters])
        case .appBuild: cursor.put(UInt64(epoch.appVersion) + 1)
        case .networkWifi: cursor.put(epoch.network == .wifi)
        case .networkCellular: cursor.put(epoch.network != .wifi && epoch.network != .none)
        case .foregroundIndex: cursor.put(UInt64(epoch.foregrounds))
        case .backgroundIndex: cursor.put(UInt64(epoch.backgrounds))
        default: putIdentity(source, form, to: &cursor)
        }
        if form.letters != .own, source.isPlain { cursor.change(from: start, to: form.letters) }
    }

    private func putIdentity(
        _ source: Placeholder.Source, _ form: DeclaredSlotForm, to cursor: inout DeclaredCursor
    ) {
        switch source {
        case .identified: cursor.put(!isAbsent(.userID))
        case .userID: if let account = epoch.account { traits.putUserID(account, to: &cursor) }
        case .anonymousID: putAnonymous(epoch, form.letters, to: &cursor)
        case .distinctID: putDistinct(epoch, form.letters, to: &cursor)
        case .sessionID: putSession(epoch.session, epoch.sessionStart, form.letters, to: &cursor)
        case .sessionPreviousID:
            putSession(epoch.session &- 1, epoch.previousStart, form.letters, to: &cursor)
        case .sessionIndex: cursor.put(UInt64(epoch.session))
        default: break
        }
    }

    private func putDistinct(
        _ epoch: DeclaredEpoch, _ letters: DeclaredSlotForm.Letters, to cursor: inout DeclaredCursor
    ) {
        if identity.namesUsers, let account = epoch.account {
            let start = cursor.count
            traits.putUserID(account, to: &cursor)
            cursor.change(from: start, to: letters)
        } else {
            cursor.put(texts.prefix[Int(letters.rawValue)])
            putAnonymous(epoch, letters, to: &cursor)
        }
    }

    private func putAnonymous(
        _ epoch: DeclaredEpoch, _ letters: DeclaredSlotForm.Letters, to cursor: inout DeclaredCursor
    ) {
        let stream =
            identity.isVendor
            ? traits.vendor(ofInstallation: epoch.installation) : traits.anonymous(epoch.anonymousGeneration)
        cursor.put(
            identity.anonymous, stream, at: epoch.anonymousSince + traits.clockSkew, letters: letters)
    }

    private func putSession(
        _ session: UInt32, _ start: Instant, _ letters: DeclaredSlotForm.Letters,
        to cursor: inout DeclaredCursor
    ) {
        let local = start + traits.clockSkew
        switch identity.session {
        case .id(let kind): cursor.put(kind, traits.session(session), at: local, letters: letters)
        case .milliseconds: cursor.put(local.milliseconds)
        case .secondsRandom8:
            var stream = traits.session(session)
            cursor.put(local.milliseconds / 1000 * 100_000_000 + Int64(stream.below(100_000_000)))
        }
    }
}

/// What a description says of ids, as plain values.
struct DeclaredIdentity {
    /// How `{{id}}` looks.
    let event: DescribedSDK.Identity.Kind
    let anonymous: DescribedSDK.Identity.Kind
    /// Whether the anonymous id is the device's own.
    let isVendor: Bool
    let session: Session
    /// Whether `{{userId}}` is there after a login, and whether `{{distinctId}}` is it.
    let tellsUsers: Bool
    let namesUsers: Bool

    /// How `{{session.id}}` looks.
    enum Session {
        case id(DescribedSDK.Identity.Kind)
        case milliseconds
        case secondsRandom8
    }

    init(_ sdk: DescribedSDK) {
        event = sdk.events.id
        let identity = sdk.identity
        anonymous =
            switch identity.anonymous {
            case .uuid, .vendor: .uuid
            case .uuid7: .uuid7
            case .hex16: .hex16
            }
        isVendor = identity.anonymous == .vendor
        session =
            switch identity.session.id {
            case .ms: .milliseconds
            case .secondsRandom8: .secondsRandom8
            case .uuid: .id(.uuid)
            case .uuid7: .id(.uuid7)
            case .hex16: .id(.hex16)
            }
        tellsUsers = identity.login != .none
        namesUsers = identity.login == .distinctId
    }
}

extension Placeholder.Source {
    /// Whether it is in ASCII, in letters of its own: texts are kept in all letters, and ids are written in them.
    fileprivate var isPlain: Bool {
        switch self {
        case .deviceModel, .osVersion, .userID: true
        default: false
        }
    }
}

extension DeclaredCursor {
    fileprivate mutating func put(_ value: Bool) {
        if value { put("true") } else { put("false") }
    }

    /// Changes ASCII letters that were written from an offset on.
    fileprivate func change(from offset: Int, to letters: DeclaredSlotForm.Letters) {
        guard letters != .own else { return }
        for index in offset..<count {
            let byte = (end - count + index).load(as: UInt8.self)
            let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            let isLower = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
            guard letters == .upper ? isLower : isUpper else { continue }
            (end - count + index).storeBytes(of: byte ^ 0x20, as: UInt8.self)
        }
    }
}
