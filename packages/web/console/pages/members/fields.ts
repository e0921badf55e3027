import type { ConsoleBody, Role, TeamMemberDetail } from '@foreword/contract';
import type { Lane, NotifyBy } from '@foreword/contract/plain';
import { type Draft, isSame } from '../../use-draft.ts';

/** The form values; empty text means not set. */
export interface MemberFields {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly phone: string;
  readonly title: string;
  readonly title_es: string;
  readonly lanes: readonly Lane[];
  readonly role: Role;
  readonly external_id: string;
  readonly notify_by: NotifyBy;
}

export const FIELD_KEYS = [
  'first_name',
  'last_name',
  'email',
  'phone',
  'title',
  'title_es',
  'lanes',
  'role',
  'external_id',
  'notify_by',
] as const;

export const EMPTY_FIELDS: MemberFields = {
  first_name: '',
  last_name: '',
  email: '',
  phone: '',
  title: '',
  title_es: '',
  lanes: [],
  role: 'member',
  external_id: '',
  notify_by: 'text',
};

export const fieldsOf = (member: TeamMemberDetail): MemberFields => ({
  first_name: member.first_name,
  last_name: member.last_name,
  email: member.email,
  phone: member.phone ?? '',
  title: member.title ?? '',
  title_es: member.title_es ?? '',
  lanes: member.lanes,
  role: member.role,
  external_id: member.external_id ?? '',
  notify_by: member.notify_by,
});

export const isChanged = (before: MemberFields, after: MemberFields): boolean =>
  FIELD_KEYS.some((key) => !isSame(before[key], after[key]));

const CLEARABLE: readonly string[] = ['phone', 'title', 'title_es', 'external_id'];

/** Converts empty text to null, as stored. */
const toStored = (fields: Partial<MemberFields>) =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, value === '' && CLEARABLE.includes(key) ? null : value]),
  );

/** Trims as the server does, so that a saved value compares equal. */
const toSent = (fields: Partial<MemberFields>) =>
  toStored(
    Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key, typeof value === 'string' ? value.trim() : value]),
    ),
  );

/** Includes the values the user saw, so that the server can detect a conflict. */
export const toChange = ({
  changes,
  was,
}: Pick<Draft<MemberFields>, 'changes' | 'was'>): ConsoleBody<'POST /members/{id}'> => ({
  ...toSent(changes),
  was: toStored(was),
});

/** Whether the member already has these values. */
export const isSavedIn = (changes: Partial<MemberFields>, member: TeamMemberDetail): boolean =>
  Object.entries(toSent(changes)).every(([key, value]) => isSame(value, member[key as keyof MemberFields]));

export const toNew = (fields: MemberFields): ConsoleBody<'POST /members'> => ({
  ...toSent(
    Object.fromEntries(
      FIELD_KEYS.filter((key) => !isSame(EMPTY_FIELDS[key], fields[key])).map((key) => [key, fields[key]]),
    ),
  ),
  first_name: fields.first_name.trim(),
  last_name: fields.last_name.trim(),
  email: fields.email.trim(),
});
