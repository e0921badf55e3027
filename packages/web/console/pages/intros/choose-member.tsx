import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Combobox } from '../../parts/combobox.tsx';
import { Field } from '../../parts/form.tsx';
import { memberQuery } from '../../queries.ts';
import { INTROS } from './list-texts.ts';
import { ACTIONS } from './texts.ts';

function useMemberSearch(q: string, options: { readonly active: boolean }) {
  return useQuery({
    queryKey: ['members', 'choose', q, options.active],
    queryFn: ({ signal }) =>
      call(
        'GET /members',
        { query: { limit: 20, ...(q !== '' && { q }), ...(options.active && { active: true }) } },
        signal,
      ),
    placeholderData: (earlier) => earlier,
  });
}

export interface Person {
  readonly id: string;
  readonly first_name: string;
  readonly last_name: string;
}

interface MemberChoiceProps {
  value: Person | null;
  onChange: (member: Person) => void;
  /** Left out of the choice. */
  exceptId?: string;
}

/** An active member to reassign intros to. */
export function MemberChoice({ value, onChange, exceptId }: MemberChoiceProps) {
  const [q, setQ] = useState('');
  const members = useMemberSearch(q.trim(), { active: true });
  return (
    <Combobox<Person>
      items={(members.data?.members ?? []).filter(({ id }) => id !== exceptId)}
      value={value}
      onChange={(member) => member !== null && onChange(member)}
      keyOf={({ id }) => id}
      labelOf={formatName}
      onSearch={setQ}
      placeholder={ACTIONS.reassignChoose}
      searchLabel={ACTIONS.reassignSearch}
      busy={members.isFetching}
      isOpen={value === null}
    />
  );
}

export function MemberFilter({ id, onChange }: { id: string | undefined; onChange: (id: string | undefined) => void }) {
  const [q, setQ] = useState('');
  const members = useMemberSearch(q.trim(), { active: false });
  const chosen = useQuery({ ...memberQuery(id ?? ''), enabled: id !== undefined });
  const value: Person | null = id === undefined ? null : (chosen.data ?? null);
  return (
    <Field label={INTROS.member} group>
      <Combobox<Person>
        aria-label={INTROS.member}
        items={members.data?.members ?? []}
        value={value}
        onChange={(person) => onChange(person?.id)}
        keyOf={(person) => person.id}
        labelOf={formatName}
        onSearch={setQ}
        placeholder={INTROS.anyMember}
        searchLabel={INTROS.memberSearch}
        busy={members.isFetching}
      />
      {id !== undefined && (
        <Button kind="plain" small onClick={() => onChange(undefined)}>
          {INTROS.clearMember}
        </Button>
      )}
    </Field>
  );
}
