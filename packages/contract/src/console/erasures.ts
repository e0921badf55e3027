import { Type } from 'typebox';
import { Phone } from '../fields.ts';
import type { RecipientErasure } from '../recipients.ts';
import { define, RetryKey, response } from './operation.ts';

/** The data that an erasure of the number would find now. */
export interface ErasurePreview {
  /** In E.164. */
  readonly phone: string;
  readonly intros: number;
  /** Requested or ready intros, which are cancelled. */
  readonly open: number;
  /** Sent intros whose page is not taken down. */
  readonly pages: number;
  readonly opted_out: boolean;
}

export type ConsoleErasure = Omit<RecipientErasure, 'intros' | 'object' | 'environment'>;

const closed = { additionalProperties: false } as const;

export const ERASURES_OPERATIONS = define({
  /** The newest ones, newest first. */
  'GET /erasures': { role: 'owner', response: response<{ readonly erasures: readonly ConsoleErasure[] }>() },
  /** A POST, because a number belongs in no URL. */
  'POST /erasures/preview': {
    role: 'owner',
    body: Type.Object({ phone: Phone }, closed),
    response: response<ErasurePreview>(),
  },
  'POST /erasures': {
    role: 'owner',
    body: Type.Object({ key: RetryKey, phone: Phone }, closed),
    response: response<ConsoleErasure>(),
  },
});
