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

/** Loads touchpoints and members to choose from. Typing searches members beyond the first page. */
export function useSamples() {
  const [typed, setTyped] = useState('');
  const member = typed.trim();
  const query = useQuery({
    ...load(['members', 'samples', member], 'GET /first-steps', { query: { member } }),
    placeholderData: keepPreviousData,
  });
  return { query, onSearch: setTyped };
}

interface ChooseProps {
  samples: ReturnType<typeof useSamples>;
  loaded: FirstSteps;
  touchpoint: StepTouchpoint | null;
  member: StepMember | null;
  onTouchpoint: (touchpoint: StepTouchpoint) => void;
  onMember: (member: StepMember) => void;
}

export function ChooseSample({ samples, loaded, touchpoint, member, onTouchpoint, onMember }: ChooseProps) {
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
          items={loaded.members}
          value={member}
          onChange={(chosen) => chosen !== null && onMember(chosen)}
          keyOf={({ id }) => id}
          labelOf={formatName}
          render={(one) => <RowText main={formatName(one)}>{one.email}</RowText>}
          onSearch={samples.onSearch}
          placeholder={PARTS.chooseMember}
          searchLabel={PARTS.searchMembers}
          busy={samples.query.isFetching}
        />
      </Field>
    </div>
  );
}
