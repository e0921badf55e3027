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
  importing: 'Import',
  search: 'Name, email, phone, or ID',
  status: 'Status',
  statuses: { active: 'Active', deactivated: 'Deactivated', all: 'Everyone' },
  lane: 'Lane',
  anyLane: 'Any lane',
  role: 'Role',
  anyRole: 'Any role',
  roles: { owner: 'Owners', manager: 'Managers', member: 'Members' } satisfies Record<Role, string>,
  found: (count: number) => formatCount(count, 'member'),
  emptyTitle: 'No members yet',
  emptyLead: 'Add the people who record videos, one at a time or from a file.',
  noneTitle: 'No matching members',
  deactivated: 'Deactivated',
  sharesEmail: 'Shares an email',
  emailBounces: 'Email bounces',
  sharedTitle: (count: number) => `${formatNumber(count)} active members share an email address`,
  sharedLead:
    'API requests that use the shared email are rejected (422 member_ambiguous). Give each member their own email, or send the member’s ID or external ID instead.',
  showShared: 'Show them',
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
  title: 'Add a member',
  lead: 'They can record as soon as you add them.',
  welcome: 'Send a welcome text with a practice recording',
  welcomeHint: 'They try the recorder once, with a made-up customer. No one gets the video.',
  done: (name: string) => `${name} was added.`,
} as const;

export const MEMBER = {
  fallback: 'Member',
  details: 'Details',
  saved: 'Member saved',
  about: 'About',
  since: 'Added',
  language: 'Language',
  pace: 'Speaking pace',
  paceWords: (words: number) => `${words} words per minute`,
  id: 'ID',
  openTitle: 'Open intros',
  openLead: 'Waiting to be recorded or sent.',
  openNone: 'No open intros.',
  openMore: (shown: number) => `Showing the ${shown} most urgent.`,
  openLeft: 'These intros are still assigned to them. Reassign or cancel them.',
  settle: 'Reassign or cancel',
  recentTitle: 'Recent intros',
  recentNone: 'No intros yet.',
  allIntros: 'All intros of this member',
  deactivate: 'Deactivate',
  reactivate: 'Reactivate',
  reactivated: (name: string) => `${name} is active again.`,
  deactivatedLead: 'They get no new intros and can’t sign in.',
  sharesTitle: 'Another active member has this email address',
  bouncesTitle: 'Emails to this address bounce',
  bouncesLead: (firstName: string, canText: boolean) =>
    `No emails are sent to it. Correct the address below${canText ? `; until then, ${firstName} gets texts instead` : ', or add a mobile phone so that they get texts instead'}.`,
  bouncesSince: 'First bounce:',
  bouncesReason: 'The mail server said:',
  emailWorks: 'The address works',
  emailConfirmed: 'Emails are sent to this address again.',
  pagesTitle: 'Video pages',
  pagesLive: (live: { count: number; at_most: number }) => `${formatCapped(live, 'live page')} with their videos.`,
  pagesNone: 'None of their video pages can be opened.',
  pagesReplaced: 'Instead of the video, recipients see your organization’s logo and office phone.',
  replace: 'Replace videos',
  replaceTitle: (name: string) => `Replace ${name}’s videos?`,
  replaceLead: (firstName: string) =>
    `Recipients who open one of these pages read that ${firstName} no longer works here and how to call your office. The videos are not deleted, so you can undo this.`,
  replaced: 'Videos replaced',
  restore: 'Show videos again',
  restored: 'Videos are shown again',
  conflictTitle: 'Someone else changed this member',
} as const;

export const INTRO_LINE = {
  due: 'due',
  requested: 'requested',
  opened: 'opened',
} as const;

export const PHOTO = {
  label: 'Photo',
  hint: 'The face that recipients see, cropped to a circle. PNG or JPEG.',
  remove: 'Remove photo',
  removed: 'Photo removed',
  saved: 'Photo saved',
} as const;

export const DEACTIVATE = {
  title: (name: string) => `Deactivate ${name}`,
  lead: 'They are signed out everywhere and get no new intros. Sent videos stay online. You can reactivate them later.',
  open: (count: { count: number; at_most: number }) => formatCapped(count, 'open intro', 'open intros'),
  choices: { reassign: 'Reassign', cancel: 'Cancel them', keep: 'Leave them open' },
  hints: {
    reassign: 'Their new member is notified. Recorded intros stay, because the member appears in the video.',
    cancel: 'Their links stop working.',
    keep: 'The recording links keep working.',
  },
  to: 'Reassign to',
  chooseFirst: 'Choose a member.',
  done: (name: string) => `${name} was deactivated.`,
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
  title: 'Import members',
  lead: 'From a spreadsheet saved as CSV. You can review every change before it is saved.',
  file: 'Choose a file',
  or: 'or paste the rows here',
  text: 'File contents',
  textHint: 'The first row must name the columns. Up to 10,000 rows.',
  placeholder: 'first_name,last_name,email,phone,external_id\nAna,Ng,ana@acme.example,(415) 555-0117,rep_17',
  columnsTitle: 'Supported columns',
  columns:
    'First name, last name, email, phone, external ID, lanes, role, title, and title in Spanish, in any order. Members are matched by external ID, then by email. Empty cells change nothing.',
  unreadable: 'The file couldn’t be read as text. Save it as CSV (UTF-8) and choose it again.',
  tooLarge: 'The file is too large. Import at most 10,000 rows at a time.',
  review: 'Review changes',
  reviewing: 'Reading the file',
  empty: 'Choose a file or paste rows first.',
  counts: (counts: Counts) =>
    formatList([
      ...(counts.add > 0 ? [`${formatNumber(counts.add)} to add`] : []),
      ...(counts.change > 0 ? [`${formatNumber(counts.change)} to change`] : []),
      ...(counts.same > 0 ? [`${formatNumber(counts.same)} unchanged`] : []),
      ...(counts.problem > 0 ? [`${formatNumber(counts.problem)} with errors`] : []),
    ]),
  lines: 'Rows',
  line: (line: number) => `Row ${line}`,
  outcomes: { add: 'Add', change: 'Change', same: 'No change', problem: 'Error' },
  fieldName: (field: ImportField) => FIELD_NAMES[field],
  nameless: 'No name',
  valueOf: (field: ImportField, value: string | null) => {
    if (value === null) return 'not set';
    if (field === 'lanes') return value === '' ? 'all lanes' : value;
    return value;
  },
  changed: (field: string, from: string, to: string) => `${field}: ${from} → ${to}`,
  set: (field: string, to: string) => `${field}: ${to}`,
  problem: (field: string | null, message: string) => (field === null ? message : `${field}: ${message}`),
  ignored: (headings: readonly string[]) =>
    `Ignored columns: ${formatList(headings.map((heading) => `“${heading}”`))}.`,
  problemsTitle: (count: number) => `${formatCount(count, 'row')} can’t be imported`,
  problemsLead: 'Fix them in your file and review it again, or skip them and import the rest. Nothing is saved yet.',
  back: 'Back',
  action: (counts: Counts) => capitalize(willDo(counts)),
  nothing: 'There is nothing to import: no row adds or changes a member.',
  outdated: 'The team has changed since your last review. Review the updated changes.',
  welcomeHint: 'To each new member with a number. They try the recorder once, with a made-up customer.',
  doneTitle: 'Import finished',
  done: ({ added, changed, same, skipped }: { added: number; changed: number; same: number; skipped: number }) =>
    capitalize(
      formatList([
        ...(added > 0 ? [`${formatNumber(added)} added`] : []),
        ...(changed > 0 ? [`${formatNumber(changed)} changed`] : []),
        ...(same > 0 ? [`${formatNumber(same)} unchanged`] : []),
        ...(skipped > 0 ? [`${formatNumber(skipped)} skipped`] : []),
      ]),
    ),
  toMembers: 'Go to members',
  another: 'Import another file',
} as const;
