import {
  AUDIT_ACTIONS,
  AUDIT_ACTORS,
  AUDIT_GROUPS,
  auditGroupOf,
  OWNER_AUDIT_GROUPS,
} from '@foreword/contract/plain/audit';
import { getRouteApi } from '@tanstack/react-router';
import { Field } from '../../parts/field.tsx';
import { Input } from '../../parts/input.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Select } from '../../parts/select.tsx';
import { useZoneHint } from '../../parts/time.tsx';
import type { ActivitySearch } from '../../search-params.ts';
import { mayActAs, useSession } from '../../session.ts';
import { ACTIVITY } from '../../texts/activity.ts';
import { MemberFilter } from '../intros/member-filter.tsx';

const route = getRouteApi('/activity');
const ANY = { value: '', label: ACTIVITY.anyAction };
const ACTORS = [
  { value: '', label: ACTIVITY.anyActor },
  ...AUDIT_ACTORS.map((value) => ({ value: value as string, label: ACTIVITY.actors[value] })),
];

type Change = { readonly [N in keyof ActivitySearch]: ActivitySearch[N] | undefined };

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
export function ActivityFilters({ search }: { search: ActivitySearch }) {
  const navigate = route.useNavigate();
  const zoneHint = useZoneHint();
  const isOwner = mayActAs(useSession().member.role, 'owner');
  const change = (next: Change) => {
    const set = Object.entries({ ...search, ...next }).filter(([, value]) => value !== undefined && value !== '');
    void navigate({ search: Object.fromEntries(set), replace: true, resetScroll: false });
  };
  return (
    <div className="activity-filters">
      <SearchField
        label={ACTIVITY.find}
        placeholder={ACTIVITY.findHint}
        value={search.q ?? ''}
        onSearch={(q) => change({ q })}
      />
      <div className="filter-fields">
        <MemberFilter id={search.actor} onChange={(actor) => change({ actor })} />
        <Field label={ACTIVITY.actor} group>
          <Select
            aria-label={ACTIVITY.actor}
            value={search.by ?? ''}
            options={ACTORS}
            onChange={(by) => change({ by })}
          />
        </Field>
        <Field label={ACTIVITY.action} group>
          <Select
            aria-label={ACTIVITY.action}
            value={search.action ?? ''}
            options={[ANY, ...actionOptions(isOwner)]}
            onChange={(action) => change({ action })}
          />
        </Field>
        <Field label={ACTIVITY.since} group hint={zoneHint}>
          <Input
            type="date"
            aria-label={ACTIVITY.since}
            value={search.from ?? ''}
            max={search.to}
            onChange={(from) => change({ from })}
          />
        </Field>
        <Field label={ACTIVITY.until} group hint={zoneHint}>
          <Input
            type="date"
            aria-label={ACTIVITY.until}
            value={search.to ?? ''}
            min={search.from}
            onChange={(to) => change({ to })}
          />
        </Field>
      </div>
    </div>
  );
}
