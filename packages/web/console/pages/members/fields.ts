import type { ConsoleBody, ConsoleSession, Role, TeamMemberDetail } from '@foreword/contract';

export type Lane = 'retail' | 'insurance';

/** What stands in the form: texts, as they are typed. */
export interface MemberFields {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly phone: string;
  readonly title: string;
  readonly lanes: readonly Lane[];
  readonly role: Role;
  readonly external_id: string;
  readonly notify_by: 'text' | 'email' | 'both';
}

export const FIELD_KEYS = [
  'first_name',
  'last_name',
  'email',
  'phone',
  'title',
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
  lanes: member.lanes,
  role: member.role,
  external_id: member.external_id ?? '',
  notify_by: member.notify_by,
});

/** In which lanes members can work; without a choice of its own, a remodeler runs both. */
export const possibleLanes = ({ industry, lanes }: ConsoleSession['organization']): readonly Lane[] => {
  if (industry === 'real_estate') return [];
  return lanes.length === 0 ? ['retail', 'insurance'] : lanes;
};

const same = (a: string | readonly string[], b: string | readonly string[]): boolean =>
  typeof a === 'string' || typeof b === 'string' ? a === b : [...a].sort().join() === [...b].sort().join();

export const isChanged = (before: MemberFields, after: MemberFields): boolean =>
  FIELD_KEYS.some((key) => !same(before[key], after[key]));

const CLEARABLE: readonly string[] = ['phone', 'title', 'external_id'];

/** As the server takes it: only what differs, with white space round it taken off, and nothing as null. */
export function toChange(before: MemberFields, after: MemberFields): ConsoleBody<'POST /members/:id'> {
  const changed = FIELD_KEYS.filter((key) => !same(before[key], after[key]));
  return Object.fromEntries(
    changed.map((key) => {
      const value = after[key];
      const trimmed = typeof value === 'string' ? value.trim() : value;
      return [key, trimmed === '' && CLEARABLE.includes(key) ? null : trimmed];
    }),
  );
}

export const toNew = (fields: MemberFields): ConsoleBody<'POST /members'> => ({
  ...toChange(EMPTY_FIELDS, fields),
  first_name: fields.first_name.trim(),
  last_name: fields.last_name.trim(),
  email: fields.email.trim(),
});
