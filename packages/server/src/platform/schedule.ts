import type { Logger } from './log.ts';

export interface Schedule {
  stop(): Promise<void>;
}

/** Runs `work` again and again, never twice at once; a fault is logged and the next turn tries again. */
export function every(ms: number, name: string, log: Logger, work: () => Promise<void>): Schedule {
  let stopped = false;
  let wake: () => void = () => undefined;
  const loop = (async () => {
    while (!stopped) {
      try {
        await work();
      } catch (err) {
        log.warn({ err, task: name }, 'scheduled task failed; it runs again');
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (stopped) wake();
      });
    }
  })();
  return {
    async stop() {
      stopped = true;
      wake();
      await loop;
    },
  };
}
