import { monotonicMs } from '../platform/clock.ts';

/** Shorter work shows nothing. */
const SHOW_AFTER_MS = 1_000;
const INTERVAL_MS = 200;
const CLEAR_LINE = '\r\x1b[K';

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

export interface Progress {
  update(amount: number, total?: number): void;
  /** Removes the line. */
  end(): void;
}

/** One line on stderr, if that is a terminal, for work that takes longer than a second. */
export function createProgress(
  label: string,
  stream: NodeJS.WriteStream = process.stderr,
  describe: (amount: number) => string = megabytes,
): Progress {
  const startedMs = monotonicMs();
  let shownMs = startedMs + SHOW_AFTER_MS - INTERVAL_MS;
  let isShown = false;
  return {
    update(amount, total) {
      const nowMs = monotonicMs();
      if (!stream.isTTY || nowMs - shownMs < INTERVAL_MS) return;
      shownMs = nowMs;
      isShown = true;
      const share = total === undefined || total === 0 ? '' : ` of ${describe(total)}`;
      stream.write(`${CLEAR_LINE}${label}: ${describe(amount)}${share}`);
    },
    end() {
      if (isShown) stream.write(CLEAR_LINE);
      isShown = false;
    },
  };
}
