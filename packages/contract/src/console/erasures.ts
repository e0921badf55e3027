import { Phone } from '../fields.ts';
import type { RecipientErasure } from '../recipients.ts';
import { define, json, response } from './operation.ts';

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

/** Without the list of intros, which may be long. */
export type ConsoleErasure = Omit<RecipientErasure, 'intros'>;

export const ERASURES_OPERATIONS = define({
  /** The newest ones, newest first. */
  listErasures: {
    route: 'GET /erasures',
    role: 'owner',
    success: response<{ readonly erasures: readonly ConsoleErasure[] }>(),
  },
  /** A POST, because a number belongs in no URL. */
  previewErasure: {
    route: 'POST /erasures/preview',
    role: 'owner',
    body: json({ phone: Phone }),
    success: response<ErasurePreview>(),
  },
});
