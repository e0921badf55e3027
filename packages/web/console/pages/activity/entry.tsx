import type { ActivityEntry } from '@foreword/contract';
import { isolated } from '@foreword/contract/plain';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Time } from '../../parts/time.tsx';
import { ACTIVITY } from '../../texts/activity.ts';
import { fieldNames } from './field-names.ts';

type ObjectOf = NonNullable<ActivityEntry['object']>;

const nameOf = ({ id, name }: { readonly id: string; readonly name: string | null }): string =>
  name === null ? (ACTIVITY.exports[id] ?? id) : isolated(name);

/** Links to the page of an object that has one. The start of an id says what it is. */
function ObjectLink({ object }: { object: ObjectOf }) {
  const { id, slug } = object;
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
      return object.name === null ? (
        name
      ) : (
        <Link to="/developers/webhooks/$id" params={{ id }}>
          {name}
        </Link>
      );
    case 'key':
      return <Link to="/developers/keys">{name}</Link>;
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
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

/** One entry, with a fold for the details that few readers need. */
export function Entry({ entry }: { entry: ActivityEntry }) {
  const { action, object, related, fields, reason, ip, user_agent: client, request_id: request } = entry;
  return (
    <div className="activity-entry" data-action={action}>
      <p className="activity-what">
        {ACTIVITY.actions[action]}
        {object !== null && (
          <span className="activity-object">
            <ObjectLink object={object} />
          </span>
        )}
        {related !== null && <span className="activity-object">{ACTIVITY.to(nameOf(related))}</span>}
      </p>
      <p className="row-soft">
        <Time at={entry.at} style="timeZone" />
        {` · ${actorOf(entry)}`}
        {fields.length > 0 && ` · ${ACTIVITY.fields(fieldNames(fields))}`}
        {reason !== null && ` · ${ACTIVITY.reasons[reason]}`}
      </p>
      <details className="activity-more">
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
              {entry.actor.type === 'key' ? (
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
