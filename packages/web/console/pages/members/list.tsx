/** Folder: members: lists, import and details. */

import type { ConsoleQuery, TeamMember, TeamPage } from '@foreword/contract';
import { lanesOf } from '@foreword/contract/plain';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { formatCount, formatList, formatName, formatPhone } from '../../format.ts';
import { useNewDialog } from '../../hooks.ts';
import { FieldsDialog } from '../../parts/actions.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Avatar, Badge, Notice, PageHeader } from '../../parts/display.tsx';
import { ListFilters } from '../../parts/filters.tsx';
import { type FieldInfo, isSame } from '../../parts/form.tsx';
import { List, LoadedRows, usePages } from '../../parts/list.tsx';
import { EmptyList, SkeletonRows } from '../../parts/states.tsx';
import { type MembersSearch, useSearchChange } from '../../search-params.ts';
import { useSession } from '../../session.ts';
import { LANE_NAMES, NAV } from '../../texts.ts';
import { EMPTY_FIELDS, type MemberFields, useMemberFields } from './fields.ts';
import { ADD, MEMBERS, ROLE_NAMES } from './texts.ts';

const PAGE_SIZE = 100;
const route = getRouteApi('/members');

const toQuery = ({ q, status, lane, role, shared }: MembersSearch): ConsoleQuery<'GET /members'> => ({
  limit: PAGE_SIZE,
  ...(q !== undefined && { q }),
  ...(status !== 'all' && { active: status === undefined }),
  ...(lane !== undefined && { lane }),
  ...(role !== undefined && { role }),
  ...(shared !== undefined && { shares_email: 'true' as const }),
});

export function MembersPage() {
  const search = route.useSearch();
  const [adding, setAdding] = useNewDialog();
  const filters = toQuery(search);
  const list = usePages<TeamPage, TeamMember>({
    key: ['members', 'list', filters],
    fetch: (after, signal) => call('GET /members', { query: after === null ? filters : { ...filters, after } }, signal),
    rowsOf: ({ members }) => members,
  });
  const counts = list.pages[0]?.counts ?? null;
  return (
    <>
      <PageHeader
        title={NAV.members}
        lead={MEMBERS.lead}
        actions={
          <>
            <LinkButton to="/members/import" kind="quiet" icon="upload" label="Import" />
            <Button icon="plus" onClick={() => setAdding(true)} label={MEMBERS.add} />
          </>
        }
      />
      <Filters search={search} />
      <p className="hint members-found" role="status">
        {counts !== null && formatCount(counts.found, 'member')}
      </p>
      {/* Below what is shown at once, because it appears with the rows. */}
      {counts !== null && counts.shared_emails > 0 && (
        <SharedEmails count={counts.shared_emails} isFiltered={search.shared !== undefined} />
      )}
      <LoadedRows
        pages={list}
        skeleton={<SkeletonRows rows={6} />}
        empty={
          <EmptyList search={search} none="No matching members" icon="people" title="No members yet">
            {MEMBERS.emptyLead}
          </EmptyList>
        }
      >
        {(listed) => <List label={NAV.members} rows={listed} render={(row) => <MemberRow member={row} />} />}
      </LoadedRows>
      <AddMember open={adding} onClose={() => setAdding(false)} />
    </>
  );
}

/** Warns about members who share an email. */
const SharedEmails = ({ count, isFiltered }: { count: number; isFiltered: boolean }) => (
  <div>
    <Notice
      tone="warn"
      title={MEMBERS.sharedTitle(count)}
      action={
        !isFiltered && <LinkButton to="/members" search={{ shared: 'yes' }} kind="quiet" small label="Show them" />
      }
    >
      {MEMBERS.sharedLead}
    </Notice>
  </div>
);

const STATUSES = [
  { value: '', label: MEMBERS.statuses.active },
  { value: 'deactivated', label: MEMBERS.statuses.deactivated },
  { value: 'all', label: MEMBERS.statuses.all },
];
const ROLES = [
  { value: '', label: 'Any role' },
  ...(['owner', 'manager', 'member'] as const).map((value) => ({ value, label: MEMBERS.roles[value] })),
];

function Filters({ search }: { search: MembersSearch }) {
  const lanes = lanesOf(useSession().organization);
  const laneOptions = [
    { value: '', label: 'Any lane' },
    ...lanes.map((value) => ({ value, label: LANE_NAMES[value] })),
  ];
  return (
    <ListFilters
      label="Name, email, phone, or ID"
      search={{ ...search }}
      list={[
        { name: 'status', label: 'Status', options: STATUSES },
        { name: 'role', label: 'Role', options: ROLES },
        ...(lanes.length > 1 ? [{ name: 'lane', label: 'Lane', options: laneOptions }] : []),
      ]}
      onChange={useSearchChange()}
    />
  );
}

function MemberRow({ member }: { member: TeamMember }) {
  const name = formatName(member);
  const phone = member.phone === null ? null : formatPhone(member.phone);
  const lanes = member.lanes.length === 0 ? null : formatList(member.lanes.map((lane) => LANE_NAMES[lane]));
  const known = [member.title, lanes, member.email, phone, member.external_id].filter((part) => part !== null);
  // The external ID is often the email: show it once.
  const more = [...new Set(known)];
  return (
    <Link to="/members/$id" params={{ id: member.id }} className="row">
      <Avatar name={name} photo={member.photo_url} />
      <span className="row-text">
        <span className="medium">{name}</span>
        <span className="hint wrap members-more">
          {more.map((part) => (
            <span key={part}>{part}</span>
          ))}
        </span>
      </span>
      <span className="wrap gap-8 row-end">
        {member.email_bounced_at !== null && <Badge tone="warn">Email bounces</Badge>}
        {member.shares_email && <Badge tone="warn">Shares an email</Badge>}
        {!member.active && <Badge>{MEMBERS.deactivated}</Badge>}
        {member.role !== 'member' && <Badge>{ROLE_NAMES[member.role]}</Badge>}
      </span>
    </Link>
  );
}

type NewMember = MemberFields & { readonly welcome: boolean };

const WELCOME: FieldInfo<NewMember> = { name: 'welcome', label: ADD.welcome, hint: ADD.welcomeHint, kind: 'check' };

function toBody({ first_name, last_name, email, welcome, ...more }: NewMember) {
  const set = Object.entries(more).filter(([name, value]) => !isSame(EMPTY_FIELDS[name as keyof MemberFields], value));
  return {
    ...{ first_name, last_name, email },
    ...Object.fromEntries(set),
    ...(more.phone !== null && welcome && { welcome }),
  };
}

/** Adds one member, then opens their page, where a photo can be added. Closing keeps what was typed for the next time. */
function AddMember({ open, onClose }: { open: boolean; onClose: () => void }) {
  const fields = useMemberFields(null);
  const navigate = useNavigate();
  return (
    <FieldsDialog<NewMember, { readonly id: string; readonly first_name: string; readonly last_name: string }>
      open={open}
      onClose={onClose}
      title="Add a member"
      lead="They can record as soon as you add them."
      wide
      submit={MEMBERS.add}
      list={({ phone }) => (phone === null ? fields : [...fields, WELCOME])}
      initial={{ ...EMPTY_FIELDS, welcome: true }}
      run={(member, key) => call('POST /members', { body: toBody(member), key })}
      topics={['members']}
      done={(member) => `${formatName(member)} was added.`}
      onDone={({ id }) => void navigate({ to: '/members/$id', params: { id } })}
    />
  );
}
