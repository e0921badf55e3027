import type { TouchpointSummary } from '@foreword/contract';
import { type ReactNode, useState } from 'react';
import { Field, SelectField } from '../../parts/form.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { useNowMs } from '../../parts/time.tsx';
import { useSession } from '../../session.ts';
import { MemberChoice, memberSearch, type Person } from '../intros/choose-member.tsx';
import { TOUCHPOINTS_QUERY } from '../touchpoints/queries.ts';
import type { Sample } from './snippets.ts';

/** A sample with what is chosen, and the fields that choose it. */
type Render = (sample: Sample<TouchpointSummary>, choice: ReactNode) => ReactNode;

/** Lets the user choose the touchpoint and the member of a sample event. */
export const LoadedSample = ({ children }: { children: Render }) => (
  <Loaded query={TOUCHPOINTS_QUERY}>
    {({ touchpoints }) => (
      <Loaded query={memberSearch('', { isActive: true })}>
        {(members) => <ChosenSample touchpoints={touchpoints} members={members} render={children} />}
      </Loaded>
    )}
  </Loaded>
);

interface ChosenSampleProps {
  touchpoints: readonly TouchpointSummary[];
  /** The first page of the members. */
  members: readonly Person[];
  render: Render;
}

function ChosenSample({ touchpoints, members, render }: ChosenSampleProps) {
  const { organization, public_url: url } = useSession();
  const nowMs = useNowMs();
  const [slug, setSlug] = useState<string | null>(null);
  const [chosen, setMember] = useState<Person | null>(null);
  const touchpoint = touchpoints.find((one) => (slug === null ? one.active : one.slug === slug));
  const member = chosen ?? members.find(({ external_id }) => external_id !== null) ?? members[0];
  if (touchpoint === undefined) return <EmptyState title="Turn on a touchpoint first." />;
  if (member === undefined) return <EmptyState title="Add a member first. Someone has to record the video." />;
  return render(
    { url, touchpoint, member, timezone: organization.timezone, nowMs },
    <div className="filters">
      <SelectField
        label="Touchpoint"
        value={touchpoint.slug}
        options={touchpoints.map((one) => ({
          value: one.slug,
          label: one.active ? one.name : `${one.name} (off)`,
        }))}
        onChange={setSlug}
      />
      <Field label="Member">
        <MemberChoice value={member} onChange={setMember} />
      </Field>
    </div>,
  );
}
