/// What the module can be asked. `web/trolley.js` has the same numbers; what goes in and out of each call stands there.
enum ModuleCall: Int32, CaseIterable {
    // The journal, without a list that stays.
    case identifiers = 1
    case inspect = 2
    case resolve = 3
    case lines = 4

    // A list that is kept folded between calls.
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

    // What a device decides.
    case openMachine = 30
    case closeMachine = 31
    case next = 32
    case cutUpload = 33
    case verdicts = 34
}
