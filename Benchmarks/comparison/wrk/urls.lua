-- Requests one after another, as the file has them: a line each (method, path, authorization, body), and from the start
-- again. Arguments: the file, and how many threads there are.
dofile("report.lua")

local requests, turn = {}, 0

function init(arguments)
    for index, row in ipairs(rows(arguments[1], thread_number, tonumber(arguments[2]))) do
        requests[index] = raw(row[1], row[2], row[3], row[4])
    end
end

function request()
    turn = turn % #requests + 1
    return requests[turn]
end
