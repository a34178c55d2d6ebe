#if hasFeature(Embedded)
    // The module's memory and its exported functions; see `web/README.md`.

    private nonisolated(unsafe) var state = ModuleState()
    private nonisolated(unsafe) var seed: UInt64 = 0

    /// Sets the secret of the hash tables. Call it once, before any other function.
    @_expose(wasm, "trolley_seed")
    @_cdecl("trolley_seed")
    public func trolleySeed(_ high: UInt32, _ low: UInt32) { seed = UInt64(high) << 32 | UInt64(low) }

    /// The source of the secret for Swift's runtime.
    @_cdecl("arc4random_buf")
    public func randomBytes(_ buffer: UnsafeMutableRawPointer, _ count: Int) {
        for index in 0..<count {
            // SplitMix64 (Steele, Lea, Flood 2014), a byte a step.
            seed &+= 0x9E37_79B9_7F4A_7C15
            var bits = (seed ^ seed >> 30) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
            buffer.storeBytes(of: UInt8(truncatingIfNeeded: bits ^ bits >> 31), toByteOffset: index, as: UInt8.self)
        }
    }

    /// Allocates memory for the input of a call.
    @_expose(wasm, "trolley_allocate")
    @_cdecl("trolley_allocate")
    public func trolleyAllocate(_ count: Int32) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer.allocate(byteCount: max(1, Int(count)), alignment: 8)
    }

    @_expose(wasm, "trolley_free")
    @_cdecl("trolley_free")
    public func trolleyFree(_ memory: UnsafeMutableRawPointer) { memory.deallocate() }

    /// Does a call.
    /// - Returns: memory that the caller frees: 1 for an error or 0, and the count of the bytes that follow, each in 32 bits,
    ///   least byte first; then the bytes.
    @_expose(wasm, "trolley_call")
    @_cdecl("trolley_call")
    public func trolleyCall(
        _ call: Int32, _ handle: Int32, _ input: UnsafePointer<UInt8>, _ count: Int32
    ) -> UnsafeMutableRawPointer {
        let (isError, output) = state.answer(call, handle: handle, UnsafeBufferPointer(start: input, count: Int(count)))
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 8 + output.count, alignment: 8)
        memory.storeBytes(of: isError ? 1 : 0, as: UInt32.self)
        memory.storeBytes(of: UInt32(output.count), toByteOffset: 4, as: UInt32.self)
        output.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(start: memory + 8, count: bytes.count).copyMemory(from: bytes)
        }
        return memory
    }
#endif
