package import TrolleyJournal

// An object with the items' keys: `"milk": [3000, 4, 6]`, which is the share, the usual position and the number of trips.

extension LearnedOrder {
    package func write(to writer: inout JSONWriter) {
        writer.begin(UInt8(ascii: "{"))
        for item in places.keys.sorted(by: { $0.text.bytesPrecede($1.text) }) {
            guard let place = places[item] else { continue }
            writer.key(item.text)
            writer.begin(UInt8(ascii: "["))
            writer.integer(Int64(place.share))
            writer.integer(Int64(place.usual.position))
            writer.integer(Int64(place.usual.trips))
            writer.end(UInt8(ascii: "]"))
        }
        writer.end(UInt8(ascii: "}"))
    }

    package init(from reader: inout JSONReader) throws(WireError) {
        var places: [ItemKey: Place] = [:]
        try reader.beginObject()
        while let item = try reader.nextKey() {
            var numbers: [Int] = []
            try reader.beginArray()
            while try reader.nextElement() { numbers.append(Int(clamping: try reader.integer())) }
            guard numbers.count == 3 else { throw .invalid("a place has three numbers") }
            places[ItemKey(item.string)] = Place(
                share: numbers[0], usual: UsualPlace(position: numbers[1], trips: numbers[2]))
        }
        self.init(places: places)
    }
}
