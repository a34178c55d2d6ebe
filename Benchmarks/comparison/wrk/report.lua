-- What every script here has in common: run with this directory as the working directory, so that dofile finds it.

local threads = 0

-- Tells each thread its number: 1, 2 …, and how many there are.
function setup(thread)
    threads = threads + 1
    thread:set("thread_number", threads)
end

-- One line that wrk.py reads. Latencies are microseconds.
function done(summary, latency, requests)
    local errors = summary.errors
    io.write(string.format(
        'RESULT {"requests":%d,"microseconds":%d,"p50":%f,"p99":%f,"refused":%d,"failed":%d}\n',
        summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
        errors.connect + errors.read + errors.write + errors.timeout))
end

-- A request in full, so that wrk need not put it together.
function raw(method, path, authorization, body)
    local text = method .. " " .. path .. " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: " .. authorization .. "\r\n"
    if body then
        text = text .. "Content-Type: application/json\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
    else
        text = text .. "\r\n"
    end
    return text
end

-- The lines of a file, each split at tabs. With `parts`, only every such line, beginning with `part`.
function rows(path, part, parts)
    local found, number = {}, 0
    for line in io.lines(path) do
        number = number + 1
        if (number - 1) % parts == part - 1 then
            local fields = {}
            for each in string.gmatch(line, "[^\t]+") do fields[#fields + 1] = each end
            found[#found + 1] = fields
        end
    end
    return found
end

local ffi = require("ffi")
ffi.cdef [[
    typedef struct { long seconds; long microseconds; } moment;
    int gettimeofday(moment *, void *);
]]
local moment = ffi.new("moment")

-- The first 32 digits of a UUIDv7, as text with its dashes; the caller adds four of its own.
function uuid_start()
    ffi.C.gettimeofday(moment, nil)
    local time = tonumber(moment.seconds) * 1000 + math.floor(tonumber(moment.microseconds) / 1000)
    local digits = string.format("%012x", time)
    return string.format("%s-%s-7%03x-8%03x-%08x", string.sub(digits, 1, 8), string.sub(digits, 9),
        math.random(0, 0xfff), math.random(0, 0xfff), math.random(0, 0xffffffff))
end

groceries = {
    "semi-skimmed milk", "wholemeal bread", "eggs", "butter", "tea", "basmati rice", "apples", "washing-up liquid",
}
