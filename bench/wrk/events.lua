-- Sends one event per request, always with a new idempotency key, and the same body apart from the member.
-- Arguments after "--": API key, name of the run, file with the body, requests per second (0: no limit), number of members
-- that take turns: rep_10, rep_11 and so on (0: the member in the body).
local ffi = require('ffi')
ffi.cdef [[
  typedef struct { long seconds; long nanoseconds; } moment;
  int clock_gettime(int clock, moment *now);
]]
local MONOTONIC = 1
local moment = ffi.new('moment')

local function now_ms()
  ffi.C.clock_gettime(MONOTONIC, moment)
  return tonumber(moment.seconds) * 1000 + tonumber(moment.nanoseconds) / 1e6
end

local threads = 0
function setup(thread)
  threads = threads + 1
  thread:set('id', threads)
end

function init(args)
  local file = assert(io.open(args[3]))
  local body = file:read('*a')
  file:close()
  head = table.concat({
    'POST ' .. wrk.path .. ' HTTP/1.1',
    'Host: ' .. wrk.host,
    'Authorization: Bearer ' .. args[1],
    'Content-Type: application/json',
    'Content-Length: ' .. #body,
    'Idempotency-Key: acme_crm:' .. args[2] .. '-' .. id .. '-',
  }, '\r\n')
  tails = {}
  members = math.max(1, tonumber(args[5]))
  for n = 1, members do
    local of_member = tonumber(args[5]) > 0 and body:gsub('rep_%d%d', 'rep_' .. (9 + n)) or body
    tails[n] = ':new_appointment\r\n\r\n' .. of_member
  end
  sent = 0
  interval_ms = tonumber(args[4]) > 0 and 1000 / tonumber(args[4]) or 0
  due_ms = now_ms()
  if interval_ms == 0 then delay = nil end
end

-- An odd multiplier visits every 32-bit number once: keys are unique and in no order, like those of real callers.
function request()
  sent = sent + 1
  return head .. string.format('%08x', (sent * 2654435761) % 4294967296) .. tails[1 + sent % members]
end

-- All connections share one schedule, so late responses do not lower the rate.
function delay()
  due_ms = due_ms + interval_ms
  return math.max(0, math.floor(due_ms - now_ms()))
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"p50Ms":%.3f,"p95Ms":%.3f,"p99Ms":%.3f,"failures":%d}\n',
    summary.requests, summary.duration / 1e6,
    latency:percentile(50) / 1000, latency:percentile(95) / 1000, latency:percentile(99) / 1000,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
