/** The audit log. */

import type { Activity, ActivityEntry, AuditAction, AuditActor, AuditGroup } from '@foreword/contract';
import { isolated } from '@foreword/contract/plain';
import {
  AUDIT_ACTIONS,
  AUDIT_ACTORS,
  AUDIT_GROUPS,
  auditGroupOf,
  OWNER_AUDIT_GROUPS,
} from '@foreword/contract/plain/audit';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type CallInput, call } from '../../api.ts';
import { useLiveRefresh } from '../../live.ts';
import { AnchorButton, LinkButton } from '../../parts/button.tsx';
import { useDays } from '../../parts/days.ts';
import { PageHeader } from '../../parts/display.tsx';
import { DateFilters, FoldedFilters, SearchField, SelectFilter } from '../../parts/filters.tsx';
import { LoadedRows, usePages } from '../../parts/list.tsx';
import { EmptyState, SkeletonRows } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { type ActivitySearch, withChange } from '../../search-params.ts';
import { useMay } from '../../session.ts';
import { MemberFilter } from '../intros/choose-member.tsx';
import { ACTIVITY } from './texts.ts';

/** "first_name" → "first name" */
const fieldNames = (fields: readonly string[]): string =>
  fields.map((name) => ACTIVITY.fieldNames[name] ?? name.replaceAll('_', ' ')).join(', ');

type ObjectOf = NonNullable<ActivityEntry['object']>;

const nameOf = ({ id, name }: { readonly id: string; readonly name: string | null }): string =>
  name === null ? (ACTIVITY.exports[id] ?? id) : isolated(name);

/** Links to the page of an object that has one. The start of an id says what it is. */
function ObjectLink({ object }: { object: ObjectOf }) {
  const { id, slug } = object;
  const isOwner = useMay('owner');
  const name = nameOf(object);
  switch (id.slice(0, id.indexOf('_'))) {
    case 'mem':
      return (
        <Link to="/members/$id" params={{ id }}>
          {name}
        </Link>
      );
    case 'int':
      return (
        <Link to="/intros/$id" params={{ id }}>
          {name}
        </Link>
      );
    case 'tp':
      return slug === null ? (
        name
      ) : (
        <Link to="/touchpoints/$slug" params={{ slug }}>
          {name}
        </Link>
      );
    case 'whk':
      return object.name === null || !isOwner ? (
        name
      ) : (
        <Link to="/developers/webhooks/$id" params={{ id }}>
          {name}
        </Link>
      );
    case 'key':
      return isOwner ? <Link to="/developers/keys">{name}</Link> : name;
    default:
      return object.name === null && ACTIVITY.exports[id] === undefined ? null : name;
  }
}

function actorOf({ actor }: ActivityEntry): string {
  const kind = ACTIVITY.actors[actor.type];
  if (actor.id === null) return kind;
  const name = nameOf({ id: actor.id, name: actor.name });
  return actor.type === 'key' ? `${kind} ${name}` : name;
}

const Detail = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="definition">
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

/** One entry, with a fold for the details that few readers need. */
function Entry({ entry }: { entry: ActivityEntry }) {
  const { action, object, related, fields, reason, ip, user_agent: client, request_id: request } = entry;
  const isOwner = useMay('owner');
  return (
    <div className="entry activity-entry" data-action={action}>
      <p className="medium">
        {ACTIVITY.actions[action]}
        {object !== null && (
          <>
            {' '}
            <ObjectLink object={object} />
          </>
        )}
        {related !== null && ` ${ACTIVITY.to(nameOf(related))}`}
      </p>
      <p className="hint">
        <Time at={entry.at} style="timeZone" />
        {` · ${actorOf(entry)}`}
        {fields.length > 0 && ` · ${ACTIVITY.fields(fieldNames(fields))}`}
        {reason !== null && ` · ${ACTIVITY.reasons[reason]}`}
      </p>
      <details className="hint">
        <summary>{ACTIVITY.details}</summary>
        <dl>
          <Detail label={ACTIVITY.exact}>
            <Time at={entry.at} style="full" />
          </Detail>
          {object !== null && (
            <Detail label={ACTIVITY.object}>
              <code>{object.id}</code>
            </Detail>
          )}
          {request !== null && (
            <Detail label={ACTIVITY.request}>
              {entry.actor.type === 'key' && isOwner ? (
                <Link to="/developers/requests/$id" params={{ id: request }}>
                  <code>{request}</code>
                </Link>
              ) : (
                <code>{request}</code>
              )}
            </Detail>
          )}
          {ip !== null && <Detail label={ACTIVITY.address}>{ip}</Detail>}
          {client !== null && <Detail label={ACTIVITY.browser}>{client}</Detail>}
          <Detail label={ACTIVITY.entry}>
            <code>{entry.id}</code>
          </Detail>
        </dl>
      </details>
    </div>
  );
}

const route = getRouteApi('/organization/activity');
const ANY = { value: '', label: ACTIVITY.anyAction };
const ACTORS = [
  { value: '', label: ACTIVITY.anyActor },
  ...AUDIT_ACTORS.map((value) => ({ value: value as string, label: ACTIVITY.actors[value] })),
];

/** Each group with its actions. The value of a group has no dot, unlike that of an action. */
const actionOptions = (isOwner: boolean) =>
  AUDIT_GROUPS.filter((group) => isOwner || !OWNER_AUDIT_GROUPS.includes(group)).flatMap((group) => {
    const actions = AUDIT_ACTIONS.filter((action) => auditGroupOf(action) === group);
    const own = actions.map((action) => ({ value: action as string, label: ACTIVITY.actions[action] }));
    return actions.length === 1
      ? own
      : [{ value: group as string, label: ACTIVITY.allOf(ACTIVITY.groups[group]) }, ...own];
  });

/** All filters are in the URL. */
function ActivityFilters({ search }: { search: ActivitySearch }) {
  const navigate = route.useNavigate();
  const isOwner = useMay('owner');
  const change = (next: { readonly [N in keyof ActivitySearch]: ActivitySearch[N] | undefined }) =>
    void navigate({ search: withChange(search, next), replace: true, resetScroll: false });
  const { q, ...filters } = search;
  return (
    <div className="grid gap-8">
      <SearchField
        label={ACTIVITY.find}
        placeholder={ACTIVITY.findHint}
        value={q ?? ''}
        onSearch={(text) => change({ q: text })}
      />
      <FoldedFilters
        set={Object.keys(filters).length}
        onClear={() => change({ actor: '', by: '', action: '', from: '', to: '' })}
      >
        <MemberFilter id={search.actor} onChange={(actor) => change({ actor })} />
        <SelectFilter
          label={ACTIVITY.actor}
          value={search.by ?? ''}
          options={ACTORS}
          onChange={(by) => change({ by })}
        />
        <SelectFilter
          label={ACTIVITY.action}
          value={search.action ?? ''}
          options={[ANY, ...actionOptions(isOwner)]}
          onChange={(action) => change({ action })}
        />
        <DateFilters
          labels={{ from: ACTIVITY.since, to: ACTIVITY.until }}
          from={search.from}
          to={search.to}
          onChange={change}
        />
      </FoldedFilters>
    </div>
  );
}

type Query = NonNullable<CallInput<'GET /activity'>['query']>;

/** A value with a dot is an action, another one a group of them. */
function queryOf({ q, actor, by, action, from, to }: ActivitySearch): Query {
  const isAction = action?.includes('.') ?? false;
  return {
    ...(q !== undefined && { q }),
    ...(actor !== undefined && { actor }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(by !== undefined && { actor_type: by as AuditActor }),
    ...(action !== undefined && (isAction ? { action: action as AuditAction } : { group: action as AuditGroup })),
  };
}

const exportUrl = (search: ActivitySearch): string => {
  const query = new URLSearchParams(Object.entries(queryOf(search)).map(([name, value]) => [name, String(value)]));
  return `/console/export/activity.csv${query.size > 0 ? `?${query}` : ''}`;
};

const Days = ({ entries }: { entries: readonly ActivityEntry[] }) =>
  useDays(entries).map(({ date, name, items }) => (
    <section key={date} className="grid gap-8">
      <h2>{name}</h2>
      <ol className="list" aria-label={ACTIVITY.list(date)}>
        {items.map((entry) => (
          <li key={entry.id} className="list-row">
            <Entry entry={entry} />
          </li>
        ))}
      </ol>
    </section>
  ));

const Nothing = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState
      icon="search"
      title={ACTIVITY.none}
      action={
        <LinkButton to="/organization/activity" search={{}} replace kind="quiet">
          {ACTIVITY.clear}
        </LinkButton>
      }
    >
      {ACTIVITY.noneLead}
    </EmptyState>
  ) : (
    <EmptyState icon="clock" title={ACTIVITY.empty}>
      {ACTIVITY.emptyLead}
    </EmptyState>
  );

export function ActivityPage() {
  const search = route.useSearch();
  const isOwner = useMay('owner');
  const pages = usePages<Activity, ActivityEntry>({
    key: ['activity', search],
    fetch: (before, signal) =>
      call('GET /activity', { query: { ...queryOf(search), ...(before !== null && { before }) } }, signal),
    rowsOf: ({ entries }) => entries,
    nextOf: ({ next }) => next,
  });
  useLiveRefresh(pages.query);
  return (
    <>
      <PageHeader
        title={ACTIVITY.title}
        lead={ACTIVITY.lead}
        {...(isOwner && {
          actions: (
            <AnchorButton kind="quiet" icon="download" href={exportUrl(search)} download title={ACTIVITY.exportHint}>
              {ACTIVITY.export}
            </AnchorButton>
          ),
        })}
      />
      <ActivityFilters search={search} />
      <LoadedRows
        pages={pages}
        skeleton={<SkeletonRows rows={8} />}
        empty={<Nothing isFiltered={Object.keys(search).length > 0} />}
      >
        {(entries) => <Days entries={entries} />}
      </LoadedRows>
    </>
  );
}
