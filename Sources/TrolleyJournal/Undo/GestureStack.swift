/// The gestures that can be undone, or redone, while a log is read. Finding and removing the gesture of an entry take the same
/// time however many gestures there are.
struct GestureStack {
    /// nil: the gesture was removed.
    private var places: [ArraySlice<UndoLog.Record>?] = []
    /// The place of each entry's gesture.
    private var indices: [EntryID: Int] = [:]

    /// The last one on top.
    var gestures: [ArraySlice<UndoLog.Record>] { places.compactMap { $0 } }

    mutating func append(_ gesture: ArraySlice<UndoLog.Record>) {
        for record in gesture {
            indices[record.entry.id] = places.count
        }
        places.append(gesture)
    }

    /// Removes the uppermost gesture of which the other one reverts an entry. Gestures above it stay: nothing could be done
    /// for them, since other people had decided everything in them again.
    /// - Returns: whether there was one.
    mutating func remove(revertedBy gesture: ArraySlice<UndoLog.Record>) -> Bool {
        var uppermost: Int?
        for record in gesture {
            guard let index = record.entry.reverts.flatMap({ indices[$0] }), places[index] != nil else { continue }
            uppermost = max(uppermost ?? index, index)
        }
        guard let uppermost else { return false }
        places[uppermost] = nil
        return true
    }
}
