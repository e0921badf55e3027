import { monotonicMs } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';

/** The command failed and changed nothing. The message says why and what to do. */
export class Failure extends Error {}

/** The command line is invalid. */
export class UsageError extends Error {}

/** Turns a refusal by a use case of the API into a failure of the command. */
export async function orFailure<T>(work: Promise<T>, next = ''): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ApiError ? new Failure(`${error.message}${next}`) : error;
  }
}

/** Shorter work shows nothing. */
const SHOW_AFTER_MS = 1_000;
const INTERVAL_MS = 200;
const CLEAR_LINE = '\r\x1b[K';

export const megabytes = (bytes: number, digits = 1): string => `${(bytes / 1e6).toFixed(digits)} MB`;

export const complain = (line: string): void => {
  process.stderr.write(`foreword: ${line}\n`);
};

type Update = (amount: number, total?: number) => void;

/** Shows one line on stderr, if that is a terminal, while the work takes longer than a second. */
export async function withProgress<Result>(
  label: string,
  work: (update: Update) => Promise<Result>,
  describe = (amount: number): string => megabytes(amount, 0),
): Promise<Result> {
  const { stderr } = process;
  let shownMs = monotonicMs() + SHOW_AFTER_MS - INTERVAL_MS;
  let isShown = false;
  const update: Update = (amount, total) => {
    const nowMs = monotonicMs();
    if (!stderr.isTTY || nowMs - shownMs < INTERVAL_MS) return;
    shownMs = nowMs;
    isShown = true;
    const share = total === undefined || total === 0 ? '' : ` of ${describe(total)}`;
    stderr.write(`${CLEAR_LINE}${label}: ${describe(amount)}${share}`);
  };
  try {
    return await work(update);
  } finally {
    if (isShown) stderr.write(CLEAR_LINE);
  }
}
