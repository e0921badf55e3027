import type { ConsoleBody, ConsoleSession, Role, TeamMemberDetail } from '@foreword/contract';
import { same, type Touched } from '../../touched.ts';

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

export const isChanged = (before: MemberFields, after: MemberFields): boolean =>
  FIELD_KEYS.some((key) => !same(before[key], after[key]));

const CLEARABLE: readonly string[] = ['phone', 'title', 'external_id'];

/** As the server has it: nothing as null. */
const asKept = (fields: Partial<MemberFields>) =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, value === '' && CLEARABLE.includes(key) ? null : value]),
  );

/** As the server takes it: with white space round it taken off. */
const asSent = (fields: Partial<MemberFields>) =>
  asKept(
    Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key, typeof value === 'string' ? value.trim() : value]),
    ),
  );

/** With what was read, so that nobody's change is written over unseen. */
export const toChange = ({
  changes,
  was,
}: Pick<Touched<MemberFields>, 'changes' | 'was'>): ConsoleBody<'POST /members/:id'> => ({
  ...asSent(changes),
  was: asKept(was),
});

/** Whether these are what the member has, as it is kept. */
export const standsIn = (changes: Partial<MemberFields>, member: TeamMemberDetail): boolean =>
  Object.entries(asSent(changes)).every(([key, value]) => same(value, member[key as keyof MemberFields]));

export const toNew = (fields: MemberFields): Omit<ConsoleBody<'POST /members'>, 'key'> => ({
  ...asSent(
    Object.fromEntries(
      FIELD_KEYS.filter((key) => !same(EMPTY_FIELDS[key], fields[key])).map((key) => [key, fields[key]]),
    ),
  ),
  first_name: fields.first_name.trim(),
  last_name: fields.last_name.trim(),
  email: fields.email.trim(),
});
