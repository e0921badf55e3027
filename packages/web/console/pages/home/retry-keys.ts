import type { ConsoleBody } from '@foreword/contract';
import { nowMs } from '../../clock.ts';
import { createRetryKeys as create, type RetryKeys } from '../../retry-keys.ts';

export type NewIntroInput = Omit<ConsoleBody<'POST /home/intros'>, 'key' | 'occurred_at'>;

/** A retry keeps the time of the first try as `occurred_at`. */
export const createRetryKeys = (): RetryKeys<NewIntroInput, { readonly occurred_at: string }> =>
  create(() => ({ occurred_at: new Date(nowMs()).toISOString() }));
