import type { ImportField, Role } from '@foreword/contract';
import { formatCount, formatList, formatNumber } from '../../format.ts';

export const ROLE_NAMES: Record<Role, string> = { owner: 'Owner', manager: 'Manager', member: 'Member' };

/** The server counts up to `at_most` only. */
export const formatCapped = (
  { count, at_most }: { count: number; at_most: number },
  one: string,
  many?: string,
): string =>
  count < at_most ? formatCount(count, one, many) : `${formatNumber(at_most)} or more ${many ?? `${one}s`}`;

export const MEMBERS = {
  lead: 'The people who record videos, and the team that manages them.',
  add: 'Add member',
  statuses: { active: 'Active', deactivated: 'Deactivated', all: 'Everyone' },
  roles: { owner: 'Owners', manager: 'Managers', member: 'Members' } satisfies Record<Role, string>,
  emptyLead: 'Add the people who record videos, one at a time or from a file.',
  deactivated: 'Deactivated',
  sharedTitle: (count: number) => `${formatNumber(count)} active members share an email address`,
  sharedLead:
    'API requests that use the shared email are rejected (422 member_ambiguous). Give each member their own email, or send the member’s ID or external ID instead.',
} as const;

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

export const ADD = {
  welcome: 'Send a welcome text with a practice recording',
  welcomeHint: 'They try the recorder once, with a made-up customer. No one gets the video.',
} as const;

export const MEMBER = {
  openTitle: 'Open intros',
  openNone: 'No open intros.',
  openLeft: 'These intros are still assigned to them. Reassign or cancel them.',
  recentTitle: 'Recent intros',
  deactivate: 'Deactivate',
  bouncesLead: (firstName: string, canText: boolean) =>
    `No emails are sent to it. Correct the address below${canText ? `; until then, ${firstName} gets texts instead` : ', or add a mobile phone so that they get texts instead'}.`,
  bouncesReason: 'The mail server said:',
  pagesLive: (live: { count: number; at_most: number }) => `${formatCapped(live, 'live page')} with their videos.`,
  pagesReplaced: 'Instead of the video, recipients see your organization’s logo and office phone.',
  replace: 'Replace videos',
  replaceLead: (firstName: string) =>
    `Recipients who open one of these pages read that ${firstName} no longer works here and how to call your office. The videos are not deleted, so you can undo this.`,
} as const;

export const DEACTIVATE = {
  lead: 'They are signed out everywhere and get no new intros. Sent videos stay online. You can reactivate them later.',
  open: (count: { count: number; at_most: number }) => formatCapped(count, 'open intro', 'open intros'),
  choices: { reassign: 'Reassign', cancel: 'Cancel them', keep: 'Leave them open' },
  hints: {
    reassign: 'Their new member is notified. Recorded intros stay, because the member appears in the video.',
    cancel: 'Their links stop working.',
    keep: 'The recording links keep working.',
  },
  to: 'Reassign to',
} as const;

const FIELD_NAMES: Record<ImportField, string> = { ...FIELDS, phone: 'Phone' };

type Counts = { readonly add: number; readonly change: number; readonly same: number; readonly problem: number };

const willDo = ({ add, change, problem }: Counts): string =>
  formatList([
    ...(add > 0 ? [`add ${formatCount(add, 'member')}`] : []),
    ...(change > 0 ? [`change ${formatNumber(change)}`] : []),
    ...(problem > 0 ? [`skip ${formatCount(problem, 'row')}`] : []),
  ]);

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const IMPORT = {
  lead: 'From a spreadsheet saved as CSV. You can review every change before it is saved.',
  placeholder: 'first_name,last_name,email,phone,external_id\nAna,Ng,ana@acme.example,(415) 555-0117,rep_17',
  columns:
    'First name, last name, email, phone, external ID, lanes, role, title, and title in Spanish, in any order. Members are matched by external ID, then by email. Empty cells change nothing.',
  unreadable: 'The file couldn’t be read as text. Save it as CSV (UTF-8) and choose it again.',
  tooLarge: 'The file is too large. Import at most 10,000 rows at a time.',
  review: 'Review changes',
  counts: (counts: Counts) =>
    formatList([
      ...(counts.add > 0 ? [`${formatNumber(counts.add)} to add`] : []),
      ...(counts.change > 0 ? [`${formatNumber(counts.change)} to change`] : []),
      ...(counts.same > 0 ? [`${formatNumber(counts.same)} unchanged`] : []),
      ...(counts.problem > 0 ? [`${formatNumber(counts.problem)} with errors`] : []),
    ]),
  outcomes: { add: 'Add', change: 'Change', same: 'No change', problem: 'Error' },
  fieldName: (field: ImportField) => FIELD_NAMES[field],
  valueOf: (field: ImportField, value: string | null) => {
    if (value === null) return 'not set';
    if (field === 'lanes') return value === '' ? 'all lanes' : value;
    return value;
  },
  changed: (field: string, from: string, to: string) => `${field}: ${from} → ${to}`,
  problem: (field: string | null, message: string) => (field === null ? message : `${field}: ${message}`),
  ignored: (headings: readonly string[]) =>
    `Ignored columns: ${formatList(headings.map((heading) => `“${heading}”`))}.`,
  problemsLead: 'Fix them in your file and review it again, or skip them and import the rest. Nothing is saved yet.',
  action: (counts: Counts) => capitalize(willDo(counts)),
  outdated: 'The team has changed since your last review. Review the updated changes.',
  welcomeHint: 'To each new member with a number. They try the recorder once, with a made-up customer.',
  done: ({ added, changed, same, skipped }: { added: number; changed: number; same: number; skipped: number }) =>
    capitalize(
      formatList([
        ...(added > 0 ? [`${formatNumber(added)} added`] : []),
        ...(changed > 0 ? [`${formatNumber(changed)} changed`] : []),
        ...(same > 0 ? [`${formatNumber(same)} unchanged`] : []),
        ...(skipped > 0 ? [`${formatNumber(skipped)} skipped`] : []),
      ]),
    ),
} as const;
