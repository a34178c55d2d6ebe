-- Trolley. Arguments: what to do, a file with a line a list (id, device's bearer token, change token 20 before the end,
-- change token of the end, device's next number), and how many threads there are.
dofile("report.lua")

local mine = {}

local function start(counts)
    local text = {}
    for index = 1, counts do text[index] = groceries[(index - 1) % #groceries + 1] end
    return text
end

-- `count` entries in one request: adds, each right after the one before.
local function append(count)
    local texts = start(count)
    local pieces = {}
    return function(list)
        local ids, items = uuid_start(), uuid_start()
        local number = list.number
        local after = "null"
        for index = 1, count do
            local item = string.format('"%s%04x"', items, index)
            pieces[index] = string.format(
                '{"id":"%s%04x","operation":"add","item":%s,"after":%s,"fields":{"text":"%s"},"deviceSequence":%d,"age":1500}',
                ids, index, item, after, texts[index], number)
            after = item
            number = number + 1
        end
        list.number = number
        local body = '{"entries":[' .. table.concat(pieces, ",", 1, count) .. "]}"
        return list.post .. #body .. "\r\n\r\n" .. body
    end
end

local operations = {
    append1 = function() return append(1) end,
    append100 = function() return append(100) end,
    nothing = function() return function(list) return list.nothing end end,
    last20 = function() return function(list) return list.last20 end end,
}

local next_request

function init(arguments)
    math.randomseed(os.time() * 16 + thread_number)
    for index, row in ipairs(rows(arguments[2], thread_number, tonumber(arguments[3]))) do
        local id, bearer, before, token, number = unpack(row)
        local changes = "/v1/lists/" .. id .. "/changes?since="
        mine[index] = {
            number = tonumber(number),
            post = "POST /v1/lists/" .. id .. "/entries HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " .. bearer
                .. "\r\nContent-Type: application/json\r\nContent-Length: ",
            nothing = raw("GET", changes .. token, "Bearer " .. bearer),
            last20 = raw("GET", changes .. before .. "&limit=20", "Bearer " .. bearer),
        }
    end
    next_request = operations[arguments[1]]()
end

function request() return next_request(mine[math.random(#mine)]) end
