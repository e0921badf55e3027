import type { TouchpointSummary } from '@foreword/contract';
import type { ReactNode } from 'react';
import { Field, SelectField } from '../../parts/form.tsx';
import { Loaded } from '../../parts/states.tsx';
import { MemberChoice, type Person, useMemberSearch } from '../intros/choose-member.tsx';
import { useTouchpoints } from '../touchpoints/queries.ts';
import { FIRST_STEPS } from './texts.ts';

/** Touchpoints and the first members to choose from. */
export interface Samples {
  readonly touchpoints: readonly TouchpointSummary[];
  readonly members: readonly Person[];
}

export function LoadedSamples({ children }: { children: (samples: Samples) => ReactNode }) {
  const touchpoints = useTouchpoints();
  const members = useMemberSearch('', { isActive: true });
  return (
    <Loaded query={touchpoints}>
      {(list) => (
        <Loaded query={members}>{(found) => children({ touchpoints: list.touchpoints, members: found })}</Loaded>
      )}
    </Loaded>
  );
}

interface ChooseProps {
  touchpoints: readonly TouchpointSummary[];
  touchpoint: TouchpointSummary | null;
  member: Person | null;
  onTouchpoint: (touchpoint: TouchpointSummary) => void;
  onMember: (member: Person) => void;
}

export const ChooseSample = ({ touchpoints, touchpoint, member, onTouchpoint, onMember }: ChooseProps) => (
  <div className="filters">
    <SelectField
      label={FIRST_STEPS.touchpoint}
      value={touchpoint?.slug ?? ''}
      options={touchpoints.map(({ slug, name, active }) => ({
        value: slug,
        label: active ? name : FIRST_STEPS.off(name),
      }))}
      onChange={(slug) => {
        const chosen = touchpoints.find((one) => one.slug === slug);
        if (chosen !== undefined) onTouchpoint(chosen);
      }}
    />
    <Field label={FIRST_STEPS.member}>
      <MemberChoice value={member} onChange={onMember} />
    </Field>
  </div>
);
