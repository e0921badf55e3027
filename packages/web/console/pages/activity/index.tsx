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
import { getRouteApi } from '@tanstack/react-router';
import { type CallInput, call } from '../../api.ts';
import { AnchorButton } from '../../parts/button.tsx';
import { DefinitionList, PageHeader } from '../../parts/display.tsx';
import { ListFilters } from '../../parts/filters.tsx';
import { LoadedRows, usePages } from '../../parts/list.tsx';
import { hasPage, ObjectLink, TouchpointLink } from '../../parts/object-link.tsx';
import { EmptyList, SkeletonRows } from '../../parts/states.tsx';
import { Time, useDays } from '../../parts/time.tsx';
import { type ActivitySearch, useSearchChange } from '../../search-params.ts';
import { useMay } from '../../session.ts';
import { NAV } from '../../texts.ts';
import { MemberFilter } from '../intros/choose-member.tsx';
import { ACTIONS, ACTORS, EXPORTS, FIELD_NAMES, GROUPS, REASONS } from './texts.ts';

/** "first_name" → "first name" */
const fieldNames = (fields: readonly string[]): string =>
  fields.map((name) => FIELD_NAMES[name] ?? name.replaceAll('_', ' ')).join(', ');

type ObjectOf = NonNullable<ActivityEntry['object']>;

const nameOf = ({ id, name }: { readonly id: string; readonly name: string | null }): string =>
  name === null ? (EXPORTS[id] ?? id) : isolated(name);

/** Links to the page of an object that has one. */
function ObjectName({ object }: { object: ObjectOf }) {
  const { id, name, slug } = object;
  const shown = nameOf(object);
  if (slug !== null) return <TouchpointLink slug={slug} name={shown} />;
  // A deleted webhook has no name.
  if (name === null && id.startsWith('whk_')) return shown;
  return hasPage(id) || name !== null || EXPORTS[id] !== undefined ? <ObjectLink id={id} name={shown} /> : null;
}

function actorOf({ actor }: ActivityEntry): string {
  const kind = ACTORS[actor.type];
  if (actor.id === null) return kind;
  const name = nameOf({ id: actor.id, name: actor.name });
  return actor.type === 'key' ? `${kind} ${name}` : name;
}

const logLink = (request: string) => <ObjectLink key="request" id={request} name={<code>{request}</code>} />;

/** One entry, with a fold for the details that few readers need. */
function Entry({ entry }: { entry: ActivityEntry }) {
  const { action, object, related, fields, reason, ip, user_agent: client, request_id: request } = entry;
  const isLogged = entry.actor.type === 'key';
  return (
    <div className="entry activity-entry" data-action={action}>
      <p className="medium">
        {ACTIONS[action]}
        {object !== null && (
          <>
            {' '}
            <ObjectName object={object} />
          </>
        )}
        {related !== null && ` to ${nameOf(related)}`}
      </p>
      <p className="hint">
        <Time at={entry.at} style="timeZone" />
        {` · ${actorOf(entry)}`}
        {fields.length > 0 && ` · Changed: ${fieldNames(fields)}`}
        {reason !== null && ` · ${REASONS[reason]}`}
      </p>
      <details className="hint">
        <summary>Details</summary>
        <DefinitionList
          items={[
            ['Time', <Time key="exact" at={entry.at} style="full" />],
            ['Object', object && <code key="object">{object.id}</code>],
            ['Request', isLogged && request ? logLink(request) : request && <code key="request">{request}</code>],
            ['IP address', ip],
            ['Browser or client', client],
            ['Entry', <code key="entry">{entry.id}</code>],
          ]}
        />
      </details>
    </div>
  );
}

const route = getRouteApi('/organization/activity');
const ANY = { value: '', label: 'All actions' };
const ACTOR_OPTIONS = [
  { value: '', label: 'Anyone' },
  ...AUDIT_ACTORS.map((value) => ({ value: value as string, label: ACTORS[value] })),
];

/** Each group with its actions. The value of a group has no dot, unlike that of an action. */
const actionOptions = (isOwner: boolean) =>
  AUDIT_GROUPS.filter((group) => isOwner || !OWNER_AUDIT_GROUPS.includes(group)).flatMap((group) => {
    const actions = AUDIT_ACTIONS.filter((action) => auditGroupOf(action) === group);
    const own = actions.map((action) => ({ value: action as string, label: ACTIONS[action] }));
    return actions.length === 1 ? own : [{ value: group as string, label: `${GROUPS[group]}: all` }, ...own];
  });

/** All filters are in the URL. */
function ActivityFilters({ search }: { search: ActivitySearch }) {
  const isOwner = useMay('owner');
  const change = useSearchChange<ActivitySearch>();
  return (
    <ListFilters
      label="Find an ID"
      placeholder="Object, request, or entry ID"
      search={search}
      list={[
        { name: 'by', label: 'Changed by', options: ACTOR_OPTIONS },
        { name: 'action', label: 'Action', options: [ANY, ...actionOptions(isOwner)] },
        { name: 'from', label: 'From', max: search.to },
        { name: 'to', label: 'Until', min: search.from },
      ]}
      onChange={change}
    >
      <MemberFilter id={search.actor} onChange={(actor) => change({ actor })} />
    </ListFilters>
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
      <ol className="list" aria-label={`Activity, ${date}`}>
        {items.map((entry) => (
          <li key={entry.id} className="list-row">
            <Entry entry={entry} />
          </li>
        ))}
      </ol>
    </section>
  ));

export function ActivityPage() {
  const search = route.useSearch();
  const isOwner = useMay('owner');
  const pages = usePages<Activity, ActivityEntry>({
    key: ['activity', search],
    fetch: (before, signal) =>
      call('GET /activity', { query: { ...queryOf(search), ...(before !== null && { before }) } }, signal),
    rowsOf: ({ entries }) => entries,
    isPolled: true,
  });
  return (
    <>
      <PageHeader
        title={NAV.activity}
        lead="Who changed what in your organization, newest first."
        {...(isOwner && {
          actions: (
            <AnchorButton
              kind="quiet"
              icon="download"
              href={exportUrl(search)}
              download
              title="Downloads the entries that match the filters as CSV"
              label="Export"
            />
          ),
        })}
      />
      <ActivityFilters search={search} />
      <LoadedRows
        pages={pages}
        skeleton={<SkeletonRows rows={8} />}
        empty={
          <EmptyList search={search} none="No matching activity" icon="clock" title="No activity yet">
            Changes to keys, members, settings, and more appear here.
          </EmptyList>
        }
      >
        {(entries) => <Days entries={entries} />}
      </LoadedRows>
    </>
  );
}
