-- PocketBase. Arguments: what to do, a file with one line a list (its id), how many threads there are, and what
-- the user's sign-in gave.
dofile("report.lua")

local mine, bearer = {}, nil
local create = "/api/collections/entries/records"

local function record(list)
    list.place = list.place + 1
    return string.format(
        '{"list":"%s","place":%d,"operation":"add","item":"%s0001","text":"%s","deviceSequence":%d}',
        list.id, list.place, uuid_start(), groceries[math.random(#groceries)], list.place)
end

local function filtered(list, first, count)
    return raw("GET",
        create .. "?skipTotal=1&sort=place&perPage=" .. count .. "&filter=(list='" .. list.id .. "'%26%26place%3E%3D"
        .. first .. ")", bearer)
end

local operations = {
    append1 = function(list) return raw("POST", create, bearer, record(list)) end,
    append100 = function(list)
        local pieces = {}
        for index = 1, 100 do
            pieces[index] = '{"method":"POST","url":"' .. create .. '","body":' .. record(list) .. "}"
        end
        return raw("POST", "/api/batch", bearer, '{"requests":[' .. table.concat(pieces, ",") .. "]}")
    end,
    nothing = function(list) return list.nothing end,
    last20 = function(list) return list.last20 end,
}

local operation

function init(arguments)
    math.randomseed(os.time() * 16 + thread_number)
    operation, bearer = operations[arguments[1]], arguments[4]
    for index, row in ipairs(rows(arguments[2], thread_number, tonumber(arguments[3]))) do
        local list = { id = row[1], place = tonumber(row[2]) }
        -- From the newest record that the reader knows, so that one is found: when a filter finds nothing, PocketBase waits
        -- for up to half a second before it says so, against guessing.
        list.nothing = filtered(list, list.place, 20)
        list.last20 = filtered(list, list.place - 19, 20)
        mine[index] = list
    end
end

function request() return operation(mine[math.random(#mine)]) end
