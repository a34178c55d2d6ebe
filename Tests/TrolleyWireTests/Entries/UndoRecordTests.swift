import Testing
import TrolleyJournal
import TrolleyWire

@Suite(.timeLimit(.minutes(20))) struct UndoRecordTests {
    private static let entry =
        #"{"id":"0199b2c4-5d60-7000-8000-00000000000b","operation":"delete","item":"0199b2c4-5d60-7000-8000-0000000000a3","cause":"edit","deviceSequence":11}"#

    @Test(
        "what an entry replaced is stored as earlier versions stored it",
        arguments: [
            #"{"register":"name","by":"0199b2c4-5d60-7000-8000-000000000001","text":"Home"}"#,
            #"{"register":"colour"}"#,
            #"{"register":"field","key":"note","text":"ripe"}"#,
            #"{"register":"field","unchanged":true,"key":"odd","json":"[1]"}"#,
            #"{"register":"markedOff","flag":false}"#,
            #"{"register":"deleted","flag":true}"#,
            #"{"register":"place","after":"0199b2c4-5d60-7000-8000-0000000000a2"}"#,
            #"{"register":"place"}"#,
        ])
    func stored(replaced: String) throws {
        let stored = #"{"entry":\#(Self.entry),"replaced":[\#(replaced)]}"#
        let record = try JSONObject.read(stored.utf8) { UndoLog.Record($0) }
        var writer = JSONWriter()
        record.write(to: &writer)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == stored)
    }

    @Test(
        "a record that can't be read is refused",
        arguments: [#"{"register":"moon"}"#, #"{"key":"note"}"#, #"{"register":"name","by":"nobody"}"#])
    func unreadable(replaced: String) {
        #expect(throws: WireError.self) {
            try JSONObject.read(#"{"entry":\#(Self.entry),"replaced":[\#(replaced)]}"#.utf8) { UndoLog.Record($0) }
        }
    }
}
