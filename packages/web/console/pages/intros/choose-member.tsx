import type { TeamMember } from '@foreword/contract';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type ComponentProps, useState } from 'react';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { RowText } from '../../parts/display.tsx';
import { Field } from '../../parts/form.tsx';
import { Combobox } from '../../parts/overlays.tsx';
import { load, memberQuery } from '../../queries.ts';
import { PARTS } from '../../texts.ts';
import { INTROS } from './list-texts.ts';

interface SearchOptions {
  readonly isActive?: boolean | undefined;
  /** Left out. */
  readonly exceptId?: string | undefined;
}

export function memberSearch(text: string, { isActive = false, exceptId }: SearchOptions) {
  const q = text.trim();
  const query = { limit: 20, ...(q !== '' && { q }), ...(isActive && { active: true }) };
  return queryOptions({
    ...load(['members', 'choose', query], 'GET /members', { query }),
    placeholderData: keepPreviousData,
    select: ({ members }) => members.filter(({ id }) => id !== exceptId),
  });
}

export type Person = Pick<TeamMember, 'id' | 'first_name' | 'last_name'> &
  Partial<Pick<TeamMember, 'title' | 'email' | 'external_id'>>;

type PersonChoiceProps = SearchOptions &
  Omit<ComponentProps<typeof Combobox<Person>>, 'items' | 'labelOf' | 'onSearch' | 'searchLabel' | 'busy'>;

function PersonChoice({ isActive, exceptId, ...choice }: PersonChoiceProps) {
  const [q, setQ] = useState('');
  const members = useQuery(memberSearch(q, { isActive, exceptId }));
  return (
    <Combobox<Person>
      {...choice}
      items={members.data ?? []}
      labelOf={formatName}
      onSearch={setQ}
      searchLabel={PARTS.searchMembers}
      busy={members.isFetching}
      {...(q.trim() === '' && { empty: PARTS.noMembers })}
    />
  );
}

interface MemberChoiceProps extends Pick<PersonChoiceProps, 'value' | 'exceptId' | 'isOpen'> {
  onChange: (member: Person) => void;
}

/** An active member. */
export const MemberChoice = ({ onChange, ...choice }: MemberChoiceProps) => (
  <PersonChoice
    {...choice}
    isActive
    onChange={(member) => member !== null && onChange(member)}
    render={(member) => <RowText main={formatName(member)}>{member.title ?? member.email}</RowText>}
    placeholder={PARTS.chooseMember}
  />
);

export function MemberFilter({ id, onChange }: { id: string | undefined; onChange: (id: string | undefined) => void }) {
  const chosen = useQuery({ ...memberQuery(id ?? ''), enabled: id !== undefined });
  return (
    <Field label={INTROS.member} group>
      <PersonChoice
        aria-label={INTROS.member}
        value={chosen.data ?? null}
        onChange={(person) => onChange(person?.id)}
        placeholder="Any member"
      />
      {id !== undefined && <Button kind="plain" small onClick={() => onChange(undefined)} label="Clear member" />}
    </Field>
  );
}
