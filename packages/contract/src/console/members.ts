import { Lane, Nullable, oneOf } from '../fields.ts';
import { MEMBER_OPERATIONS } from '../members.ts';
import { IMPORT_MAX_CHARACTERS, type Language, NOTIFY_BY, ROLES } from '../plain/index.ts';
import { ClosedObject, type Static, Type } from '../schema.ts';
import type { ConsoleIntroRow } from './intros.ts';
import { define, json, response } from './operation.ts';

const optional = Type.Optional;
const { external_id: _, ...required } = MEMBER_OPERATIONS.createMember.body.schema.properties;
const { external_id, ...changed } = MEMBER_OPERATIONS.updateMember.body.schema.properties;
/** Besides the fields that the API has. */
const more = {
  role: optional(oneOf(ROLES, 'Permissions in the console.')),
  external_id,
  notify_by: optional(oneOf(NOTIFY_BY, 'How the member is notified of new intros.')),
};

/** A member to add, from the form or from a line of a file. */
export const NewMember = ClosedObject({ ...required, ...more });

type MemberFields = Readonly<Required<Static<typeof NewMember>>>;

export interface TeamMember extends Omit<MemberFields, 'notify_by'> {
  readonly id: string;
  readonly active: boolean;
  readonly photo_url: string | null;
  /** Another active member has the same email, so the API cannot identify either of them by email. */
  readonly shares_email: boolean;
  /** When emails to this address started to bounce. No further ones are sent. Null: they do not bounce. */
  readonly email_bounced_at: string | null;
}

export interface TeamPage {
  /** By first name, then last name. */
  readonly members: readonly TeamMember[];
  /** `after` of the next page. Null on the last page. */
  readonly next: string | null;
  /** On the first page only. */
  readonly counts: {
    /** Members that match the filters. */
    readonly found: number;
    /** Active members in the organization who share their email with another one. */
    readonly shared_emails: number;
  } | null;
}

/** Counting stops at `at_most`. */
export interface CappedCount {
  readonly count: number;
  readonly at_most: number;
}

export interface TeamMemberDetail extends TeamMember, Pick<MemberFields, 'notify_by'> {
  readonly words_per_minute: number | null;
  /** The one that they chose for the recorder and their messages. Null: the organization's. */
  readonly language: Language | null;
  /** The mail server's reason why the address bounces. */
  readonly email_bounce_reason: string | null;
  readonly created_at: string;
  /** The last owner cannot be removed, because only owners manage roles and keys. */
  readonly is_last_owner: boolean;
  /** When the organization's card replaced the member's videos on their pages. */
  readonly pages_replaced_at: string | null;
  /** The member's pages that recipients can open. */
  readonly live_pages: CappedCount;
  /** To record, or recorded but not sent. The most urgent first. */
  readonly open_intros: readonly ConsoleIntroRow[];
  readonly open_count: CappedCount;
  readonly recent_intros: readonly ConsoleIntroRow[];
}

export type ImportField = Exclude<keyof MemberFields, 'notify_by'>;

export interface ImportLine {
  /** Line number in the file, starting at 1. */
  readonly line: number;
  readonly outcome: 'add' | 'change' | 'same' | 'problem';
  readonly name: string;
  readonly email: string;
  readonly member_id: string | null;
  readonly changes: readonly {
    readonly field: ImportField;
    readonly from: string | null;
    readonly to: string | null;
  }[];
  readonly problem: { readonly field: ImportField | null; readonly message: string } | null;
}

export interface ImportPreview {
  readonly lines: readonly ImportLine[];
  readonly counts: { readonly add: number; readonly change: number; readonly same: number; readonly problem: number };
  /** The field of each column. Null: the column is ignored. */
  readonly columns: readonly { readonly heading: string; readonly field: ImportField | null }[];
  /** Identifies these outcomes: the import is rejected when they would differ. */
  readonly fingerprint: string;
}

/** Allows for the JSON around the text and for multi-byte characters. */
const IMPORT_MAX_BYTES = 8_000_000;

/** Not validated, only compared with the stored value. */
const Read = Type.String({ maxLength: 1000 });
const ReadOrNull = Nullable(Read);
/** The values before the change, as the page read them. */
const Was = ClosedObject({
  first_name: optional(Read),
  last_name: optional(Read),
  email: optional(Read),
  phone: optional(ReadOrNull),
  title: optional(ReadOrNull),
  title_es: optional(ReadOrNull),
  lanes: changed.lanes,
  role: more.role,
  external_id: optional(ReadOrNull),
  notify_by: more.notify_by,
});

/** A 10 MB photo in base64 and JSON. */
const PHOTO_MAX_BYTES = 14_000_000;

export const MEMBERS_OPERATIONS = define({
  searchMembers: {
    route: 'GET /members',
    role: 'manager',
    query: ClosedObject({
      /** Words of the name, email, title or external id, or digits of the phone number. */
      q: optional(Type.String({ maxLength: 200 })),
      active: optional(Type.Boolean({ 'x-problem': 'must be true or false' })),
      lane: optional(Lane),
      role: optional(oneOf(ROLES, 'Permissions in the console.')),
      shares_email: optional(Type.Literal('true')),
      after: optional(Type.String()),
      limit: optional(Type.Integer({ minimum: 1, maximum: 100, 'x-problem': 'must be a whole number from 1 to 100' })),
    }),
    success: response<TeamPage>(),
  },
  addMember: {
    route: 'POST /members',
    role: 'manager',
    isKeyed: true,
    body: json({
      ...NewMember.properties,
      /** Asks the new member for a practice recording, by text or email. */
      welcome: optional(Type.Boolean()),
    }),
    success: response<TeamMemberDetail>(),
  },
  readMember: { route: 'GET /members/{id}', role: 'manager', success: response<TeamMemberDetail>() },
  /** Changes only the given fields. When a value differs from `was`, nothing changes (409 `edit_conflict`). */
  changeMember: {
    route: 'POST /members/{id}',
    role: 'manager',
    body: json({
      ...changed,
      ...more,
      was: optional(Was),
    }),
    success: response<TeamMemberDetail>(),
  },
  uploadPhoto: {
    route: 'POST /members/{id}/photo',
    role: 'manager',
    forSelf: true,
    body: json({ image: Type.String({ maxLength: PHOTO_MAX_BYTES }) }),
    maxBytes: PHOTO_MAX_BYTES,
    success: response<{ photo_url: string | null }>(),
  },
  removePhoto: {
    route: 'DELETE /members/{id}/photo',
    role: 'manager',
    forSelf: true,
    success: response<{ photo_url: null }>(),
  },
  /** The address works again, so emails are sent to it. */
  confirmEmail: { route: 'POST /members/{id}/confirm-email', role: 'manager', success: response<TeamMemberDetail>() },
  replacePages: { route: 'POST /members/{id}/replace-pages', role: 'manager', success: response<TeamMemberDetail>() },
  restorePages: { route: 'POST /members/{id}/restore-pages', role: 'manager', success: response<TeamMemberDetail>() },
  previewImport: {
    route: 'POST /members/import/preview',
    role: 'manager',
    body: json({ text: Type.String({ maxLength: IMPORT_MAX_CHARACTERS }) }),
    maxBytes: IMPORT_MAX_BYTES,
    success: response<ImportPreview>(),
  },
  importMembers: {
    route: 'POST /members/import',
    role: 'manager',
    body: json({
      text: Type.String({ maxLength: IMPORT_MAX_CHARACTERS }),
      fingerprint: Type.String({ maxLength: 100 }),
      skip_problems: Type.Boolean(),
      /** Asks each new member with a phone number for a practice recording. */
      welcome: optional(Type.Boolean()),
    }),
    maxBytes: IMPORT_MAX_BYTES,
    success: response<{ added: number; changed: number; same: number; skipped: number }>(),
  },
});
