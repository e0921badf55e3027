import { type TSchema, Type } from 'typebox';
import { AnyId, Email, ExternalText, Lane, Name, oneOf, Phone } from '../fields.ts';
import { IMPORT_MAX_CHARACTERS, type INTRO_STATUSES, type NotifyBy, ROLES, type Role } from '../plain/index.ts';
import { define, RetryKey, response } from './operation.ts';

export interface TeamMember {
  readonly id: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly phone: string | null;
  readonly title: string | null;
  /** Empty: all. */
  readonly lanes: readonly Lane[];
  readonly role: Role;
  readonly active: boolean;
  readonly external_id: string | null;
  readonly photo_url: string | null;
  /** Another active member has the same address, so that it names none of the two to the API. */
  readonly shares_email: boolean;
}

export interface TeamPage {
  /** By first name, then last name. */
  readonly members: readonly TeamMember[];
  /** The `after` of the next page; null: this is the last one. */
  readonly next: string | null;
  /** On the first page only. */
  readonly counts: {
    /** How many there are that fit what was asked. */
    readonly found: number;
    /** How many active members share their address with another one, in the whole organization. */
    readonly shared_emails: number;
  } | null;
}

export interface MemberIntro {
  readonly id: string;
  readonly status: (typeof INTRO_STATUSES)[number];
  readonly recipient_name: string;
  /** Null for one that no touchpoint made. */
  readonly touchpoint: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly sent_at: string | null;
  readonly opened_at: string | null;
  readonly watched_at: string | null;
}

/** As many as `at_most`: then there may be more. */
export interface CappedCount {
  readonly count: number;
  readonly at_most: number;
}

export interface TeamMemberDetail extends TeamMember {
  readonly notify_by: NotifyBy;
  readonly words_per_minute: number | null;
  readonly created_at: string;
  /** Without them nobody could give roles or keys: they stay. */
  readonly is_last_owner: boolean;
  /** Since when the pages of their videos show the organization's card. */
  readonly pages_replaced_at: string | null;
  /** Pages of their videos that recipients can open. */
  readonly live_pages: CappedCount;
  /** To record, or recorded and not sent yet; the most urgent first. */
  readonly open_intros: readonly MemberIntro[];
  readonly open_count: CappedCount;
  readonly recent_intros: readonly MemberIntro[];
}

export type ImportField = 'first_name' | 'last_name' | 'email' | 'phone' | 'external_id' | 'lanes' | 'role' | 'title';

export interface ImportLine {
  /** In the file, from 1. */
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
  /** What each column was taken for; null: it is not read. */
  readonly columns: readonly { readonly heading: string; readonly field: ImportField | null }[];
  /** Of exactly these outcomes. */
  readonly fingerprint: string;
}

/** Room for the JSON around it, and for letters that take several bytes. */
const IMPORT_MAX_BYTES = 8_000_000;

const closed = { additionalProperties: false } as const;
/** With its own words when it does not fit, which a union would lose. */
const orNull = (schema: TSchema) => Type.Unsafe<string | null>({ ...schema, nullable: true });

const optional = Type.Optional;
const first_name = Name('First name.', 'Ana');
const last_name = Name('Last name.', 'Ng');
const email = Email;
const more = {
  phone: optional(orNull(Phone)),
  title: optional(orNull(Name('What they are, as recipients read it.', 'project manager'))),
  lanes: optional(Type.Array(Lane, { maxItems: 2, uniqueItems: true, 'x-problem': 'must name each lane once' })),
  role: optional(oneOf(ROLES, 'What they may do in the console.')),
  external_id: optional(orNull(ExternalText('Your own id for the member, unique in the organization.', 'rep_17'))),
  notify_by: optional(oneOf(['text', 'email', 'both'], 'How they hear that there is something to record.')),
};

/** Not checked again: only compared with what stands there. */
const Read = Type.String({ maxLength: 1000 });
const ReadOrNull = orNull(Read);
/** What was read before it was changed. */
const Was = Type.Object(
  {
    first_name: optional(Read),
    last_name: optional(Read),
    email: optional(Read),
    phone: optional(ReadOrNull),
    title: optional(ReadOrNull),
    lanes: more.lanes,
    role: more.role,
    external_id: optional(ReadOrNull),
    notify_by: more.notify_by,
  },
  closed,
);

/** Somebody new, by the form or as a line of a file. */
export const NewMember = Type.Object({ first_name, last_name, email, ...more }, closed);

/** A photo of ten million bytes, in base64 and JSON. */
const PHOTO_MAX_BYTES = 14_000_000;

const MemberRef = AnyId("A member's id.", 'mem_01kahzv8e1f0rtx5m2q6n9d3bw');
const WHAT_TO_RECORD = ['reassign', 'cancel', 'leave'] as const;
const WHAT_RECORDED = ['cancel', 'leave'] as const;

/** What becomes of the open intros of a member who leaves. */
const OpenIntros = {
  /** Of those that are not recorded. */
  to_record: oneOf(WHAT_TO_RECORD, 'What becomes of intros that are not recorded.'),
  recorded: oneOf(WHAT_RECORDED, 'What becomes of intros that are recorded and not sent.'),
  /** To whom, where `reassign` is said without a name of its own. */
  to: Type.Optional(MemberRef),
  each: Type.Optional(
    Type.Array(
      Type.Object(
        {
          id: AnyId("An intro's id.", 'int_01kahzv8e1f0rtx5m2q6n9d3bw'),
          action: oneOf(WHAT_TO_RECORD, 'What becomes of this one.'),
          to: Type.Optional(MemberRef),
        },
        closed,
      ),
      { maxItems: 1000, 'x-problem': 'must name at most 1,000 intros' },
    ),
  ),
};

export interface SettledIntros {
  readonly reassigned: number;
  readonly cancelled: number;
  readonly left: number;
}

export const MEMBERS_OPERATIONS = define({
  'GET /members': {
    role: 'manager',
    query: Type.Object(
      {
        /** Words of name, e-mail, title or external id, or digits of the phone number. */
        q: optional(Type.String({ maxLength: 200 })),
        active: optional(Type.Boolean({ 'x-problem': 'must be true or false' })),
        lane: optional(Lane),
        role: optional(oneOf(ROLES, 'What they may do.')),
        shares_email: optional(Type.Literal('true')),
        after: optional(Type.String()),
        limit: optional(
          Type.Integer({ minimum: 1, maximum: 100, 'x-problem': 'must be a whole number from 1 to 100' }),
        ),
      },
      closed,
    ),
    response: response<TeamPage>(),
  },
  'POST /members': {
    role: 'manager',
    body: Type.Object({ key: RetryKey, ...NewMember.properties }, closed),
    response: response<TeamMemberDetail>(),
  },
  'GET /members/:id': { role: 'manager', response: response<TeamMemberDetail>() },
  /** Only what is sent is changed; where something of `was` is another by now, nothing is (409 `edit_conflict`). */
  'POST /members/:id': {
    role: 'manager',
    body: Type.Object(
      {
        first_name: optional(first_name),
        last_name: optional(last_name),
        email: optional(email),
        ...more,
        was: optional(Was),
      },
      closed,
    ),
    response: response<TeamMemberDetail>(),
  },
  'POST /members/:id/photo': {
    role: 'manager',
    body: Type.Object({ image: Type.String({ maxLength: PHOTO_MAX_BYTES }) }, closed),
    maxBytes: PHOTO_MAX_BYTES,
    response: response<TeamMemberDetail>(),
  },
  'DELETE /members/:id/photo': { role: 'manager', response: response<TeamMemberDetail>() },
  /** Also for one who is deactivated already: then it settles what is still open. */
  'POST /members/:id/deactivate': {
    role: 'manager',
    body: Type.Object({ ...OpenIntros, replace_pages: Type.Boolean() }, closed),
    response: response<{ member: TeamMemberDetail; intros: SettledIntros }>(),
  },
  'POST /members/:id/reactivate': { role: 'manager', response: response<TeamMemberDetail>() },
  'POST /members/:id/replace-pages': { role: 'manager', response: response<TeamMemberDetail>() },
  'POST /members/:id/restore-pages': { role: 'manager', response: response<TeamMemberDetail>() },
  'POST /members/import/preview': {
    role: 'manager',
    body: Type.Object({ text: Type.String({ maxLength: IMPORT_MAX_CHARACTERS }) }, closed),
    maxBytes: IMPORT_MAX_BYTES,
    response: response<ImportPreview>(),
  },
  'POST /members/import': {
    role: 'manager',
    body: Type.Object(
      {
        text: Type.String({ maxLength: IMPORT_MAX_CHARACTERS }),
        fingerprint: Type.String({ maxLength: 100 }),
        skip_problems: Type.Boolean(),
      },
      closed,
    ),
    maxBytes: IMPORT_MAX_BYTES,
    response: response<{ added: number; changed: number; same: number; skipped: number }>(),
  },
});
