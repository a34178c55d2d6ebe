/// The module's calls; `web/trolley.js` has the same numbers, and documents inputs and outputs.
///
/// There are three modules for browsers, so that a page loads only what it needs (decision 2507). Native code and the module
/// that tests load have all calls.
enum ModuleCall: Int32, CaseIterable {
    // MARK: DEVICE_CALLS, in `trolley.wasm`

    // Calls about a journal, without an open list.
    case identifiers = 1
    case lines = 4

    // Calls about an open list, which stays folded between calls.
    case openList = 10
    case closeList = 11
    case apply = 12
    case setPending = 13
    case append = 14
    case forget = 15
    case state = 16
    case digest = 17
    case match = 18
    case plan = 19
    case pass = 20
    case arrivals = 21
    case add = 22
    case messages = 23

    // Calls for a device's decisions.
    case openMachine = 30
    case closeMachine = 31
    case next = 32
    case cutUpload = 33
    case settle = 34
    case receiving = 35
    case ended = 36
    case triggers = 37
    case uploadEnded = 38
    case report = 39
    case renumber = 24
    case offer = 25
    case rules = 26

    // MARK: LATER_CALLS, in `later.wasm`

    // Calls about past purchases.
    case trips = 40
    case purchases = 41
    case learn = 42
    case arrange = 43
    case missing = 44
    case steps = 45
    case repetition = 46
    case doubleBuys = 47
    case combine = 48
    case restoration = 49

    // Calls about a list's room.
    case openRoom = 50
    case closeRoom = 51
    case room = 52

    // Calls about adding: the catalogue, what was bought, and the aisles of new items.
    case openCatalogue = 60
    case words = 61
    case openPast = 62
    case closePast = 63
    case follow = 64
    case aisles = 65
    case complete = 66
    case arrangeAisles = 67

    // MARK: DOCUMENT_CALLS, in `documents.wasm`

    case read = 70
    case addItems = 71

    // MARK: SERVICE_CALLS, in none of them: what only the service does with a journal

    case inspect = 2
    case resolve = 3
}
