import { writeSync } from 'node:fs';

/**
 * Preloaded by a service: measures how much processor time passes between two turns of its event loop. Unlike elapsed time,
 * that does not depend on what else the machine does. SIGUSR2 prints the longest since the last one.
 */
const CHECK_MS = 1;
let longestMs = 0;
let last = process.threadCpuUsage();

setInterval(() => {
  const { user, system } = process.threadCpuUsage(last);
  last = process.threadCpuUsage();
  longestMs = Math.max(longestMs, (user + system) / 1000);
}, CHECK_MS).unref();
process.on('SIGUSR2', () => {
  writeSync(2, `longest stall: ${longestMs.toFixed(1)} ms\n`);
  longestMs = 0;
});
