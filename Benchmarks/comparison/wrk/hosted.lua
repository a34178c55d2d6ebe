-- Hosted devices: each request adds another item to a list by its name. An item that is on the list is not added again.
-- Arguments: a file with a line a device (id, bearer token, the list's name), and how many threads there are.
dofile("report.lua")

local devices, turn = {}, 0

function init(arguments)
    math.randomseed(os.time() * 16 + thread_number)
    devices = rows(arguments[1], thread_number, tonumber(arguments[2]))
end

function request()
    turn = turn % #devices + 1
    local id, token, list = unpack(devices[turn])
    local body = string.format('{"text":"item %s","list":"%s"}', uuid_start(), list)
    return raw("POST", "/v1/hosted/" .. id .. "/add", "Bearer " .. token, body)
end
