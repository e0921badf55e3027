import type { ConsoleBody } from '@foreword/contract';
import { type Attempts, createAttempts as create } from '../../attempts.ts';
import { nowMs } from '../../clock.ts';

export type Wish = Omit<ConsoleBody<'POST /home/intros'>, 'key' | 'occurred_at'>;

/** What is wished for again after no answer came began when it was wished for first. */
export const createAttempts = (): Attempts<Wish, { readonly occurred_at: string }> =>
  create(() => ({ occurred_at: new Date(nowMs()).toISOString() }));
