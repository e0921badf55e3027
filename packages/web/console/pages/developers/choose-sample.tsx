import type { FirstSteps, StepMember, StepTouchpoint } from '@foreword/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatName } from '../../format.ts';
import { Combobox } from '../../parts/combobox.tsx';
import { RowText } from '../../parts/display.tsx';
import { Field, SelectField } from '../../parts/form.tsx';
import { load } from '../../queries.ts';
import { PARTS } from '../../texts.ts';
import { FIRST_STEPS } from './texts.ts';

/** Touchpoints and members to choose from. */
export const useSamples = (member = '') =>
  useQuery({
    ...load(['members', 'samples', member], 'GET /first-steps', { query: { member } }),
    placeholderData: keepPreviousData,
  });

interface ChooseProps {
  loaded: FirstSteps;
  touchpoint: StepTouchpoint | null;
  member: StepMember | null;
  onTouchpoint: (touchpoint: StepTouchpoint) => void;
  onMember: (member: StepMember) => void;
}

/** Typing searches members beyond the first page. */
export function ChooseSample({ loaded, touchpoint, member, onTouchpoint, onMember }: ChooseProps) {
  const [typed, setTyped] = useState('');
  const found = useSamples(typed.trim());
  const choose = (slug: string) => {
    const chosen = loaded.touchpoints.find((one) => one.slug === slug);
    if (chosen !== undefined) onTouchpoint(chosen);
  };
  return (
    <div className="filters">
      <SelectField
        label={FIRST_STEPS.touchpoint}
        value={touchpoint?.slug ?? ''}
        options={loaded.touchpoints.map(({ slug, name, active }) => ({
          value: slug,
          label: active ? name : FIRST_STEPS.off(name),
        }))}
        onChange={choose}
      />
      <Field label={FIRST_STEPS.member}>
        <Combobox
          items={found.data?.members ?? loaded.members}
          value={member}
          onChange={(chosen) => chosen !== null && onMember(chosen)}
          keyOf={({ id }) => id}
          labelOf={formatName}
          render={(one) => <RowText main={formatName(one)}>{one.email}</RowText>}
          onSearch={setTyped}
          placeholder={PARTS.chooseMember}
          searchLabel={PARTS.searchMembers}
          busy={found.isFetching}
        />
      </Field>
    </div>
  );
}
