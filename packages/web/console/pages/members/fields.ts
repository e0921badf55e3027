import type { ConsoleBody, TeamMemberDetail } from '@foreword/contract';
import { lanesOf, NAME_MAX_LENGTH, NOTIFY_BY, ROLES } from '@foreword/contract/plain';
import type { FieldInfo } from '../../parts/form.tsx';
import { useMay, useSession } from '../../session.ts';
import { LANE_NAMES } from '../../texts.ts';
import { ROLE_NAMES } from './texts.ts';

export const FIELDS = {
  first_name: 'First name',
  firstNameMissing: 'Enter a first name.',
  last_name: 'Last name',
  lastNameMissing: 'Enter a last name.',
  email: 'Email',
  emailMissing: 'Enter an email address.',
  emailHint: 'Also used to sign in to this console.',
  emailOfOwner: 'Only owners can change an owner’s email.',
  phone: 'Mobile phone',
  phoneHint: 'Recording requests are texted here, and recipients can call it.',
  title: 'Title',
  titleHint: 'Shown to recipients, as in “your project manager at Acme”.',
  titlePlaceholder: 'project manager',
  title_es: 'Title in Spanish',
  titleEsHint: 'For pages in Spanish. If empty, they show the title.',
  titleEsPlaceholder: 'gerente de proyecto',
  lanes: 'Lanes',
  lanesHint: 'If none is selected, the member works in all lanes.',
  role: 'Role',
  roleHint:
    'Members record and send their own intros. Managers do everything except API keys and roles. Owners do everything.',
  roleLocked: 'Only owners can change roles.',
  lastOwner: 'This is the last active owner. Make another member an owner first.',
  external_id: 'External ID',
  externalIdHint: 'Their ID in your own system, for use in API requests.',
  notify_by: 'Notify by',
  notify: { text: 'Text message', email: 'Email', both: 'Text message and email' },
} as const;

/** The values of a form, as they are stored. */
export type MemberFields = Readonly<Required<Omit<ConsoleBody<'POST /members'>, 'welcome'>>>;

export const EMPTY_FIELDS: MemberFields = {
  ...{ first_name: '', last_name: '', email: '', phone: null, title: null, title_es: null },
  ...{ lanes: [], role: 'member', external_id: null, notify_by: 'text' },
};

/** Null: a new member. */
export function useMemberFields(member: TeamMemberDetail | null): readonly FieldInfo<MemberFields>[] {
  const isOwner = useMay('owner');
  const lanes = lanesOf(useSession().organization);
  const isEmailLocked = member?.role === 'owner' && !isOwner;
  const isLastOwner = member?.is_last_owner === true;
  const most = NAME_MAX_LENGTH;
  const half = { isHalf: true, optional: true } as const;
  return [
    { name: 'first_name', label: FIELDS.first_name, missing: FIELDS.firstNameMissing, most, isHalf: true },
    { name: 'last_name', label: FIELDS.last_name, missing: FIELDS.lastNameMissing, most, isHalf: true },
    {
      ...{ name: 'email', label: FIELDS.email, kind: 'email', missing: FIELDS.emailMissing, isHalf: true },
      ...{ hint: isEmailLocked ? FIELDS.emailOfOwner : FIELDS.emailHint, disabled: isEmailLocked },
    },
    { ...half, name: 'phone', label: FIELDS.phone, hint: FIELDS.phoneHint, kind: 'phone' },
    {
      ...half,
      name: 'title',
      label: FIELDS.title,
      hint: FIELDS.titleHint,
      most,
      input: { placeholder: FIELDS.titlePlaceholder },
    },
    {
      ...{ name: 'notify_by', label: FIELDS.notify_by, kind: 'select', isHalf: true },
      options: NOTIFY_BY.map((value) => ({ value, label: FIELDS.notify[value] })),
    },
    ...(lanes.length < 2
      ? []
      : [
          {
            ...({ name: 'lanes', label: FIELDS.lanes, hint: FIELDS.lanesHint, kind: 'checks' } as const),
            options: lanes.map((value) => ({ value, label: LANE_NAMES[value] })),
          },
        ]),
    {
      ...{ name: 'role', label: FIELDS.role, kind: 'select', disabled: !isOwner || isLastOwner },
      hint: isLastOwner ? FIELDS.lastOwner : isOwner ? FIELDS.roleHint : FIELDS.roleLocked,
      options: ROLES.map((value) => ({ value, label: ROLE_NAMES[value] })),
    },
    {
      ...half,
      ...{ name: 'title_es', label: FIELDS.title_es, hint: FIELDS.titleEsHint, isMore: true, most },
      input: { placeholder: FIELDS.titleEsPlaceholder },
    },
    { ...half, name: 'external_id', label: FIELDS.external_id, hint: FIELDS.externalIdHint, isMore: true },
  ];
}
