/** Opt-outs, retention, consent to the use of a likeness, erasures and exports. */

import { AnyId, LINES_PATTERN, oneOf, Phone } from '../fields.ts';
import type { NamedMember } from '../members.ts';
import { CONSENT_IMPORT_MAX_LINES, type ConsentSource, type Language } from '../plain/index.ts';
import { RETENTION_RULES, type RetentionRule } from '../plain/retention.ts';
import type { RecipientErasure } from '../recipients.ts';
import type { Colleague } from '../recorder.ts';
import { ClosedObject, Type } from '../schema.ts';
import type { CappedCount } from './members.ts';
import { define, json, response } from './operation.ts';

export interface ConsentChange {
  /** `asked`: whether to stop texts. `answered`: with words that do not ask for it. */
  readonly kind: 'opt_out' | 'opt_in' | 'asked' | 'answered';
  readonly source: ConsentSource;
  /** The recipient's words. For a change by the team: who asked for it, and how. */
  readonly said: string | null;
  /** The member who made a change for the recipient. */
  readonly by: NamedMember | null;
  readonly at: string;
}

/** Whether a number may be texted, and how that changed. */
export interface ConsoleConsent {
  readonly opted_out: {
    readonly source: ConsentSource;
    readonly at: string;
    /** Carriers block a number after STOP until it replies START, so an opt-out by text cannot be undone here. */
    readonly can_be_undone: boolean;
  } | null;
  /** Newest first. */
  readonly history: readonly ConsentChange[];
}

/** 500 for each line of a file of opt-outs. */
const IMPORT_MAX_CHARACTERS = 500 * CONSENT_IMPORT_MAX_LINES;

/** The result of an import of opt-outs. */
export interface ConsentImport {
  readonly added: number;
  readonly already: number;
  /** Lines without a phone number. */
  readonly problems: readonly { readonly line: number; readonly given: string }[];
}

/** How long the organization keeps one kind of data. */
export interface ConsoleRetention {
  readonly rule: RetentionRule;
  readonly days: number;
  /** A shorter period that was chosen recently takes effect at this time. Until then, `days_until_then` applies. */
  readonly effective_at: string | null;
  readonly days_until_then: number | null;
}

export interface ConsoleRetentionList {
  readonly rules: readonly ConsoleRetention[];
}

/** The result of a change that was not saved. */
export interface ConsoleRetentionPreview {
  /** How many objects would be removed first. */
  readonly count: number;
  /** More than are counted. */
  readonly has_more: boolean;
  /** Null: at once. */
  readonly effective_at: string | null;
}

const RetentionChange = {
  rule: oneOf(RETENTION_RULES, 'The kind of data.'),
  days: Type.Integer({ 'x-problem': 'must be a whole number of days', description: 'How long it is kept.' }),
};

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

/** How much an archive of the organization contains. */
export interface ExportEstimate {
  readonly intros: number;
  readonly videos: number;
  /** The size of the videos. Everything else is small. */
  readonly bytes: number;
  /** The archive of the organization is being downloaded. Another download would be refused. */
  readonly is_running: boolean;
}

export const PRIVACY_OPERATIONS = define({
  readConsent: {
    route: 'GET /consent',
    role: 'manager',
    query: ClosedObject({ phone: Phone }),
    success: response<ConsoleConsent>(),
  },
  importOptOuts: {
    route: 'POST /consent/import',
    role: 'manager',
    body: json({
      text: Type.String({
        minLength: 1,
        maxLength: IMPORT_MAX_CHARACTERS,
        pattern: LINES_PATTERN,
        'x-problem': 'must be text without control characters other than line breaks and tabs',
      }),
    }),
    // Allows for the JSON around the text and for multi-byte characters.
    maxBytes: 3 * IMPORT_MAX_CHARACTERS,
    success: response<ConsentImport>(),
  },
  readRetention: { route: 'GET /retention', role: 'owner', success: response<ConsoleRetentionList>() },
  changeRetention: {
    route: 'POST /retention',
    role: 'owner',
    body: json(RetentionChange),
    success: response<ConsoleRetentionList>(),
  },
  previewRetention: {
    route: 'POST /retention/preview',
    role: 'owner',
    body: json(RetentionChange),
    success: response<ConsoleRetentionPreview>(),
  },
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
  measureExport: { route: 'GET /export', role: 'owner', success: response<ExportEstimate>() },
});
