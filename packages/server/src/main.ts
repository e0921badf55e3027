/** Starts the service: settings, database, routes and wiring. */

import { prepareModules } from './platform/process.ts';

const PARENT_POLL_MS = 500;

/**
 * npx and npm scripts run `foreword start` in a shell. A signal to npm ends the shell without reaching the service, which
 * would keep running, and keep its port and its data folder.
 */
function stopWithParent(parent: number): void {
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_POLL_MS).unref();
}

const [, , parent] = process.argv;
if (parent !== undefined) stopWithParent(Number(parent));
prepareModules();
// Imported dynamically: the cache only applies to modules imported after this point.
const { runService } = await import('./app/start.ts');
await runService();
