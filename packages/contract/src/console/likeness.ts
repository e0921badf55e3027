import { AnyId } from '../fields.ts';
import type { Language } from '../plain/index.ts';
import type { Colleague } from '../recorder.ts';
import { Type } from '../schema.ts';
import type { CappedCount } from './members.ts';
import { define, json, response } from './operation.ts';

/** One consent of a member to the use of their likeness. Null in the text and in `given_at`: it was given before records exist. */
export interface LikenessConsent {
  readonly id: string;
  readonly version: string | null;
  readonly language: Language | null;
  readonly text: string | null;
  readonly given_at: string | null;
  readonly given_by: 'recording' | 'console' | null;
  readonly withdrawn_at: string | null;
  /** `owner`: someone else on the team. */
  readonly withdrawn_by: 'member' | 'owner' | 'operator' | null;
}

/** Counts of everything that the last withdrawal has removed so far. */
export interface LikenessRemoval {
  readonly finished_at: string | null;
  readonly closed: number;
  readonly reassigned: number;
  readonly taken_down: number;
  readonly videos: number;
}

export interface Likeness {
  readonly state: 'not_given' | 'given' | 'withdrawn';
  readonly withdrawn_at: string | null;
  readonly removal: LikenessRemoval | null;
  /** The current text. */
  readonly text: { readonly version: string; readonly short: string; readonly paragraphs: readonly string[] };
  /** Newest first. */
  readonly consents: readonly LikenessConsent[];
  readonly open_intros: CappedCount;
  readonly live_pages: CappedCount;
  /** The members who could record the open intros. */
  readonly colleagues: readonly Colleague[];
}

export const LIKENESS_OPERATIONS = define({
  readLikeness: {
    route: 'GET /members/{id}/likeness',
    role: 'manager',
    forSelf: true,
    success: response<Likeness>(),
  },
  /** Gives the consent to the version that the page showed, for the first time or again. */
  giveLikeness: {
    route: 'POST /home/likeness',
    role: 'member',
    body: json({ version: Type.String({ maxLength: 20 }) }),
    success: response<Likeness>(),
  },
  /** By the member, or by an owner on their behalf. */
  withdrawLikeness: {
    route: 'POST /members/{id}/likeness/withdraw',
    role: 'owner',
    forSelf: true,
    body: json({
      /** The member who records the open intros. Not sent: they are closed. */
      to: Type.Optional(AnyId("A member's id.", 'mem_01kahzv8e1f0rtx5m2q6n9d3bw')),
    }),
    success: response<Likeness>(),
  },
});
