/// The module's calls; `web/trolley.js` has the same numbers, and documents inputs and outputs.
enum ModuleCall: Int32, CaseIterable {
    // Calls about a journal, without an open list.
    case identifiers = 1
    case lines = 4
    #if SERVICE_CALLS
        // What only the service does with a journal. Tests call these; the module that browsers load lacks them.
        case inspect = 2
        case resolve = 3
    #endif

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
    case verdicts = 34
}
