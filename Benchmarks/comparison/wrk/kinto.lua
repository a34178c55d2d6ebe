-- Kinto. Arguments: what to do, a file with a line a list (its id, the timestamp 20 before the end, that of the end),
-- how many threads there are, and what stands behind "Authorization:".
dofile("report.lua")

local mine, authorization = {}, nil

local function record(list)
    list.number = list.number + 1
    return string.format(
        '{"data":{"operation":"add","item":"%s0001","text":"%s","deviceSequence":%d}}', uuid_start(),
        groceries[math.random(#groceries)], list.number)
end

local operations = {
    append1 = function(list) return raw("POST", list.records, authorization, record(list)) end,
    append100 = function(list)
        local pieces = {}
        for index = 1, 100 do
            pieces[index] = '{"method":"POST","path":"' .. list.records .. '","body":' .. record(list) .. "}"
        end
        return raw("POST", "/v1/batch", authorization, '{"requests":[' .. table.concat(pieces, ",") .. "]}")
    end,
    nothing = function(list) return list.nothing end,
    last20 = function(list) return list.last20 end,
}

local operation

function init(arguments)
    math.randomseed(os.time() * 16 + thread_number)
    operation, authorization = operations[arguments[1]], arguments[4]
    for index, row in ipairs(rows(arguments[2], thread_number, tonumber(arguments[3]))) do
        local list = { number = 1000, records = "/v1/buckets/trolley/collections/" .. row[1] .. "/records" }
        list.nothing = raw("GET", list.records .. "?_since=" .. row[3], authorization)
        list.last20 = raw("GET", list.records .. "?_limit=20&_since=" .. row[2], authorization)
        mine[index] = list
    end
end

function request() return operation(mine[math.random(#mine)]) end
