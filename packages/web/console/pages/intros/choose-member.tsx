import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Combobox } from '../../parts/combobox.tsx';
import { RowText } from '../../parts/display.tsx';
import { Field } from '../../parts/form.tsx';
import { load, memberQuery } from '../../queries.ts';
import { PARTS } from '../../texts.ts';
import { INTROS } from './list-texts.ts';

interface SearchOptions {
  readonly isActive?: boolean;
  /** Left out. */
  readonly exceptId?: string | undefined;
}

export function useMemberSearch(text: string, { isActive = false, exceptId }: SearchOptions) {
  const q = text.trim();
  const query = { limit: 20, ...(q !== '' && { q }), ...(isActive && { active: true }) };
  return useQuery({
    ...load(['members', 'choose', query], 'GET /members', { query }),
    placeholderData: keepPreviousData,
    select: ({ members }) => members.filter(({ id }) => id !== exceptId),
  });
}

export interface Person {
  readonly id: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly title?: string | null;
  readonly email?: string;
  readonly external_id?: string | null;
}

interface MemberChoiceProps {
  value: Person | null;
  onChange: (member: Person) => void;
  /** Left out of the choice. */
  exceptId?: string;
  isOpen?: boolean;
}

/** An active member. */
export function MemberChoice({ value, onChange, exceptId, ...options }: MemberChoiceProps) {
  const [q, setQ] = useState('');
  const members = useMemberSearch(q, { isActive: true, exceptId });
  return (
    <Combobox<Person>
      {...options}
      items={members.data ?? []}
      value={value}
      onChange={(member) => member !== null && onChange(member)}
      keyOf={({ id }) => id}
      labelOf={formatName}
      render={(member) => <RowText main={formatName(member)}>{member.title ?? member.email}</RowText>}
      onSearch={setQ}
      placeholder={PARTS.chooseMember}
      searchLabel={PARTS.searchMembers}
      busy={members.isFetching}
    />
  );
}

export function MemberFilter({ id, onChange }: { id: string | undefined; onChange: (id: string | undefined) => void }) {
  const [q, setQ] = useState('');
  const members = useMemberSearch(q, {});
  const chosen = useQuery({ ...memberQuery(id ?? ''), enabled: id !== undefined });
  const value: Person | null = id === undefined ? null : (chosen.data ?? null);
  return (
    <Field label={INTROS.member} group>
      <Combobox<Person>
        aria-label={INTROS.member}
        items={members.data ?? []}
        value={value}
        onChange={(person) => onChange(person?.id)}
        keyOf={(person) => person.id}
        labelOf={formatName}
        onSearch={setQ}
        placeholder={INTROS.anyMember}
        searchLabel={PARTS.searchMembers}
        busy={members.isFetching}
      />
      {id !== undefined && <Button kind="plain" small onClick={() => onChange(undefined)} label={INTROS.clearMember} />}
    </Field>
  );
}
