import ArgumentParser
import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync

@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct MomentTests {
    /// 2026-11-22 10:00 in the person's time zone, which is one hour ahead of UTC.
    private let now = Timestamp("2026-11-22T09:00:00.000Z")

    private func moment(_ text: String) throws -> Moment {
        let time = try #require(Timestamp(text))
        return Moment(time: time, now: try #require(now)) { time in
            let text = time.advanced(byMilliseconds: 3_600_000).description
            return LocalTime(date: String(text.prefix(10)), clock: String(text.dropFirst(11).prefix(5)))
        }
    }

    @Test(arguments: [
        ("2026-11-22T09:00:10.000Z", "in a moment"), ("2026-11-22T08:59:50.000Z", "just now"),
        ("2026-11-22T09:02:00.000Z", "in 2 minutes"), ("2026-11-22T08:59:00.000Z", "1 minute ago"),
        ("2026-11-22T07:30:00.000Z", "today 08:30"), ("2026-11-22T22:59:00.000Z", "today 23:59"),
        ("2026-11-21T23:30:00.000Z", "today 00:30"), ("2026-11-21T16:40:00.000Z", "yesterday 17:40"),
        ("2026-11-22T23:30:00.000Z", "tomorrow 00:30"), ("2026-03-01T12:00:00.000Z", "2026-03-01 13:00"),
    ])
    func `a moment is said in the person's own zone and words`(_ time: String, _ words: String) throws {
        #expect(try moment(time).words == words)
    }

    @Test func `since when is said by the clock, with the day unless it is today`() throws {
        #expect(try moment("2026-11-22T08:59:00.000Z").since == "09:59")
        #expect(try moment("2026-11-21T16:40:00.000Z").since == "yesterday 17:40")
    }

    @Test func `a device that waits says what is wrong and since when`() throws {
        let now = try #require(now)
        let waiting = SyncProgress.waiting(until: now.advanced(byMilliseconds: 120_000), queued: 3)
        for (code, start) in [
            ("unreachable", "The service can't be reached since "), ("zoneBusy", "The service is busy since "),
        ] {
            let words = waiting.words(Device.OngoingFailure(since: now, code: code), at: now)
            #expect(words.hasPrefix(start) && words.hasSuffix(". Trying again in 2 minutes. 3 changes to be sent."))
        }
        #expect(SyncProgress.idle.words(nil, at: now) == SyncProgress.idle.description)
    }

    @Test func `a time that is still to come is refused, and yesterday's must be asked for`() throws {
        let now = Timestamp(
            milliseconds: Terminal.seconds(year: 2026, month: 11, day: 22, hour: 10, minute: 0) * 1000)
        #expect(try PointInTime("10:00").time(now: now) == now.advanced(byMilliseconds: 59_999))
        #expect(try PointInTime("today 09:59").time(now: now) == now.advanced(byMilliseconds: -1))
        let yesterday = try PointInTime("yesterday 23:59").time(now: now)
        #expect(LocalTime(yesterday) == LocalTime(date: "2026-11-21", clock: "23:59"))
        for text in ["10:01", "today 23:59", "2026-11-22 10:01", "2027-01-01 00:00"] {
            #expect(throws: ValidationError.self, "\(text)") { try PointInTime(text).time(now: now) }
        }
    }

    @Test func `when a device may try again is said in words, and never in UTC`() throws {
        let now = try #require(now)
        let failure = SyncFailure.tooEarly(now.advanced(byMilliseconds: 120_000))
        #expect(failure.words(at: now) == "The next try is due in 2 minutes; to try now: trolley sync")
        let waiting = SyncProgress.waiting(until: now, queued: 1)
        for sentence in ["\(failure)", "\(waiting)", "\(DeviceError.notInStep(failure))"] {
            #expect(!sentence.contains("2026-"), "\(sentence)")
        }
    }

    @Test func `a list that wasn't fetched for two minutes says as of when it is`() async throws {
        let device = try Device.inMemory()
        var list = try await device.makeList(named: "Week").summary()
        #expect(list.age == nil, "it was never fetched")
        list.receivedAt = Timestamp.now()
        #expect(list.age == nil)
        list.receivedAt = Timestamp.now().advanced(byMilliseconds: -30 * 60_000)
        #expect(list.age == "as of 30 minutes ago")
        await device.close()
    }
}
