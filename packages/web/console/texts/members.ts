import type { ImportField, ImportLine, Role } from '@foreword/contract';
import { formatCount, formatList, formatNumber } from '../format.ts';

export const ROLE_NAMES: Record<Role, string> = { owner: 'Owner', manager: 'Manager', member: 'Member' };

/** As many as were counted: beyond that, nobody counted. */
const about = ({ count, at_most }: { count: number; at_most: number }, one: string, many?: string): string =>
  count < at_most ? formatCount(count, one, many) : `${formatNumber(at_most)} or more ${many ?? `${one}s`}`;

export const MEMBERS = {
  title: 'Members',
  lead: 'The people whose faces your recipients see, and the team that works here.',
  add: 'Add a member',
  importing: 'Import a file',
  search: 'Name, e-mail, phone or id',
  list: 'Members',
  status: 'Who',
  statuses: { active: 'Active', deactivated: 'Deactivated', all: 'Everyone' },
  lane: 'Lane',
  anyLane: 'Any lane',
  role: 'Role',
  anyRole: 'Any role',
  roles: { owner: 'Owners', manager: 'Managers', member: 'Members' } satisfies Record<Role, string>,
  found: (count: number) => formatCount(count, 'member'),
  emptyTitle: 'Nobody is here',
  emptyLead: 'Add the people who record, one by one or all at once from a file.',
  noneTitle: 'Nobody fits',
  noneLead: 'Search for something else, or look among everyone.',
  clear: 'Show all active members',
  deactivated: 'Deactivated',
  sharesEmail: 'Shares an e-mail',
  sharedTitle: (count: number) => `${formatNumber(count)} active members share an e-mail address`,
  sharedLead:
    'An integration that names one of them by e-mail is refused (422 member_ambiguous), because it could mean either. Give each an address of their own, or let it send the member’s id or external id.',
  showShared: 'Show them',
  onlyShared: 'Only members who share an e-mail address',
  showAll: 'Show all',
} as const;

export const FIELDS = {
  first_name: 'First name',
  last_name: 'Last name',
  email: 'E-mail',
  emailHint: 'Also how they sign in here.',
  emailOfOwner: 'Only owners change the address by which an owner signs in.',
  phone: 'Mobile phone',
  phoneHint: 'Texts with something to record go here, and recipients can call it.',
  title: 'Title',
  titleHint: 'As recipients read it: “your project manager at Acme”.',
  titlePlaceholder: 'project manager',
  lanes: 'Lanes',
  lanesHint: 'None chosen means all of them.',
  role: 'Role',
  roleHints: {
    owner: 'Everything, with keys and roles.',
    manager: 'Everything but keys and roles.',
    member: 'What they record themselves.',
  } satisfies Record<Role, string>,
  roleLocked: 'Only owners give and take roles.',
  lastOwner: 'This is the last active owner. Make somebody else an owner first.',
  external_id: 'External id',
  externalIdHint: 'Their id in your own system, by which integrations name them.',
  notify_by: 'Notify by',
  notify: { text: 'Text message', email: 'E-mail', both: 'Text message and e-mail' },
} as const;

export const ADD = {
  title: 'Add a member',
  lead: 'They can record as soon as they are added.',
  action: 'Add the member',
  done: (name: string) => `${name} is added.`,
} as const;

export const MEMBER = {
  fallback: 'Member',
  details: 'Details',
  save: 'Save',
  saved: 'Saved.',
  discard: 'Discard changes',
  photo: 'Photo',
  photoLead: 'Recipients see it beside the name. The middle is shown, as a circle.',
  photoChoose: 'Choose a photo',
  photoReplace: 'Choose another photo',
  photoRemove: 'Remove the photo',
  photoRemoved: 'The photo is removed.',
  photoKept: 'The photo is saved.',
  photoTooLarge: 'The file is larger than 10 MB. Choose a smaller one.',
  photoUnread: 'The file could not be read. Choose it again.',
  photoBusy: 'Saving the photo',
  facts: 'More',
  since: 'Added',
  pace: 'Speaking pace',
  paceWords: (words: number) => `${words} words a minute`,
  id: 'Id',
  openTitle: 'Open intros',
  openLead: 'To record, or recorded and not sent yet.',
  openNone: 'Nothing is open.',
  openMore: (shown: number) => `The ${shown} most urgent of them are shown.`,
  openLeft: 'These are still theirs. Give them to somebody else, or cancel them.',
  settle: 'Decide about them',
  recentTitle: 'Recent intros',
  recentNone: 'No intros yet.',
  allIntros: 'All intros of this member',
  deactivate: 'Deactivate',
  reactivate: 'Reactivate',
  reactivated: (name: string) => `${name} is active again.`,
  outTitle: 'Deactivated',
  outLead: 'Nothing new can be asked of them, and they cannot sign in.',
  outOwner: 'Only owners reactivate an owner.',
  sharesTitle: 'Another active member has this e-mail address',
  pagesTitle: 'Pages of their videos',
  pagesLive: (live: { count: number; at_most: number }) =>
    `${about(live, 'page')} with their videos can be opened by recipients.`,
  pagesNone: 'No page with a video of theirs can be opened.',
  pagesReplaced: 'Recipients see your organization’s card, with your logo and office phone, instead of the video.',
  replace: 'Replace live pages by the organization’s card',
  replaceTitle: (name: string) => `Replace the pages of ${name}?`,
  replaceLead: (firstName: string) =>
    `Whoever opens such a page reads kindly that ${firstName} no longer works here, and how to call your office. The videos are not deleted: you can take this back.`,
  replaceAction: 'Replace the pages',
  replaced: 'The pages show your organization’s card.',
  restore: 'Show the videos again',
  restored: 'The pages show the videos again.',
} as const;

export const MEMBER_CONFLICT = {
  title: 'Somebody else changed this member meanwhile',
  lead: 'What you typed is not saved. They changed the same:',
  theirs: 'Theirs',
  mine: 'Yours',
  takeTheirs: 'Take theirs',
  keepMine: 'Keep editing mine',
  nothing: 'nothing',
  allLanes: 'all lanes',
} as const;

export const INTRO_LINE = {
  due: 'due',
  made: 'asked for',
  sent: 'sent',
  opened: 'opened',
  watched: 'watched',
} as const;

export const LEAVE = {
  title: (name: string) => `Deactivate ${name}`,
  settleTitle: (name: string) => `Open intros of ${name}`,
  lead: 'Nothing new can be asked of them, and wherever they are signed in they are signed out. What was sent stays, and you can reactivate them.',
  settleLead: 'Give them to somebody else, or cancel them.',
  noneOpen: 'Nothing is open for them.',
  toRecord: (count: { count: number; at_most: number }) => about(count, 'intro to record', 'intros to record'),
  recorded: (count: number) => formatCount(count, 'intro recorded and not sent', 'intros recorded and not sent'),
  forAll: 'For all of them',
  actions: { reassign: 'Give to somebody else', cancel: 'Cancel them', leave: 'Leave as they are' },
  oneAction: { reassign: 'Give to somebody else', cancel: 'Cancel it', leave: 'Leave as it is' },
  cancelHint: 'Nobody records them, and the links stop working.',
  leaveHint: 'The links still work, so that they can be recorded.',
  recordedHint: 'Their face is in the video, so that nobody else can take it over. Left, it can still be sent.',
  eachTitle: 'Decide one by one',
  sameAsAll: 'As for all',
  to: 'To whom',
  choose: 'Choose a member',
  chooseFirst: 'Choose who records them now.',
  search: 'Search members',
  actionFor: (recipient: string) => `For ${recipient}`,
  toFor: (recipient: string) => `Who records for ${recipient}`,
  pages: 'Replace live pages by the organization’s card',
  pagesHint: (live: { count: number; at_most: number }) =>
    `${about(live, 'page')} with their videos can be opened now. Recipients would see your logo and office phone instead.`,
  action: 'Deactivate',
  settleAction: 'Do it',
  done: (name: string, intros: { reassigned: number; cancelled: number; left: number }) => {
    const parts = [
      intros.reassigned > 0 ? `${formatNumber(intros.reassigned)} given to others` : '',
      intros.cancelled > 0 ? `${formatNumber(intros.cancelled)} cancelled` : '',
      intros.left > 0 ? `${formatNumber(intros.left)} left` : '',
    ].filter((part) => part !== '');
    return parts.length === 0
      ? `${name} is deactivated.`
      : `${name} is deactivated. Open intros: ${formatList(parts)}.`;
  },
} as const;

const OUTCOMES: Record<ImportLine['outcome'], string> = {
  add: 'Add',
  change: 'Change',
  same: 'No change',
  problem: 'Problem',
};

const FIELD_NAMES: Record<ImportField, string> = {
  first_name: FIELDS.first_name,
  last_name: FIELDS.last_name,
  email: FIELDS.email,
  phone: 'Phone',
  external_id: FIELDS.external_id,
  lanes: FIELDS.lanes,
  role: FIELDS.role,
  title: 'Title',
};

type Counts = { readonly add: number; readonly change: number; readonly same: number; readonly problem: number };

const willDo = ({ add, change }: Counts): string =>
  formatList([
    ...(add > 0 ? [`add ${formatCount(add, 'member')}`] : []),
    ...(change > 0 ? [`change ${formatNumber(change)}`] : []),
  ]);

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const IMPORT = {
  title: 'Import members',
  lead: 'From a spreadsheet saved as CSV. You see what every line does before anything is written.',
  file: 'Choose a file',
  or: 'or paste its lines here',
  text: 'Lines of the file',
  textHint: 'The first line names the columns. At most 10,000 lines.',
  placeholder: 'first_name,last_name,email,phone,external_id\nAna,Ng,ana@acme.example,(415) 555-0117,rep_17',
  columnsTitle: 'Columns that are read',
  columns:
    'First name, last name, e-mail, phone, external id, lanes, role and title, in any order and in the usual spellings. A member is found by external id, else by e-mail. An empty cell changes nothing.',
  unread: 'The file could not be read as text. Save it as CSV (UTF-8) and choose it again.',
  tooLarge: 'The file is too large. At most 10,000 lines come at once.',
  look: 'Look at it first',
  looking: 'Reading the lines',
  empty: 'Paste lines or choose a file first.',
  previewTitle: 'What will happen',
  counts: (counts: Counts) =>
    formatList([
      ...(counts.add > 0 ? [`${formatNumber(counts.add)} to add`] : []),
      ...(counts.change > 0 ? [`${formatNumber(counts.change)} to change`] : []),
      ...(counts.same > 0 ? [`${formatNumber(counts.same)} without a change`] : []),
      ...(counts.problem > 0 ? [`${formatNumber(counts.problem)} with a problem`] : []),
    ]),
  filter: 'Which lines',
  filters: (counts: Counts) =>
    [
      { value: 'all' as const, label: 'All', count: counts.add + counts.change + counts.same + counts.problem },
      { value: 'problem' as const, label: 'Problems', count: counts.problem },
      { value: 'add' as const, label: 'To add', count: counts.add },
      { value: 'change' as const, label: 'To change', count: counts.change },
    ].filter(({ value, count }) => value === 'all' || count > 0),
  filterName: (label: string, count: number) => `${label} ${formatNumber(count)}`,
  lines: 'Lines of the file',
  line: (line: number) => `Line ${line}`,
  outcome: (outcome: ImportLine['outcome']) => OUTCOMES[outcome],
  fieldName: (field: ImportField) => FIELD_NAMES[field],
  nameless: 'No name',
  valueOf: (field: ImportField, value: string | null) => {
    if (value === null) return 'nothing';
    if (field === 'lanes') return value === '' ? 'all lanes' : value;
    return value;
  },
  changed: (field: string, from: string, to: string) => `${field}: ${from} → ${to}`,
  set: (field: string, to: string) => `${field}: ${to}`,
  problem: (field: string | null, message: string) => (field === null ? message : `${field}: ${message}`),
  notRead: (headings: readonly string[]) => `Not read: ${formatList(headings.map((heading) => `“${heading}”`))}.`,
  problemsTitle: (count: number) => `${formatCount(count, 'line')} cannot be imported`,
  problemsLead:
    'Mend them in your file and look at it again, or import the good lines and leave these out. Nothing has been written yet.',
  choice: 'What about the lines with a problem',
  mend: 'Mend them first',
  mendHint: 'Back to the text, with nothing written.',
  skip: 'Import the good lines',
  skipHint: (count: number) => `${formatCount(count, 'line')} will be left out.`,
  back: 'Back to the text',
  action: (counts: Counts) => capitalize(willDo(counts)),
  nothing: 'There is nothing to import: no line would add or change anybody.',
  changedMeanwhile: 'The team was changed since you looked. This is what the file does now: look at it once more.',
  doneTitle: 'The import is done',
  done: ({ added, changed, same, skipped }: { added: number; changed: number; same: number; skipped: number }) =>
    capitalize(
      formatList([
        ...(added > 0 ? [`${formatNumber(added)} added`] : []),
        ...(changed > 0 ? [`${formatNumber(changed)} changed`] : []),
        ...(same > 0 ? [`${formatNumber(same)} without a change`] : []),
        ...(skipped > 0 ? [`${formatNumber(skipped)} left out`] : []),
      ]),
    ),
  toMembers: 'Go to the members',
  another: 'Import another file',
} as const;
