-- Cycles through the paths. Arguments after "--": API key, file with one path per line.
function init(args)
  requests = {}
  for path in io.lines(args[2]) do
    requests[#requests + 1] = 'GET ' .. path .. ' HTTP/1.1\r\nHost: ' .. wrk.host ..
      '\r\nAuthorization: Bearer ' .. args[1] .. '\r\n\r\n'
  end
  sent = 0
end

function request()
  sent = sent + 1
  return requests[(sent - 1) % #requests + 1]
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"p50Ms":%.3f,"p95Ms":%.3f,"p99Ms":%.3f,"failures":%d}\n',
    summary.requests, summary.duration / 1e6,
    latency:percentile(50) / 1000, latency:percentile(95) / 1000, latency:percentile(99) / 1000,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
