import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Combobox } from '../../parts/combobox.tsx';
import { Field } from '../../parts/field.tsx';
import { memberQuery } from '../../queries.ts';
import { INTROS } from '../../texts/intro-list.ts';
import { useMemberSearch } from './use-member-search.ts';

interface Person {
  readonly id: string;
  readonly first_name: string;
  readonly last_name: string;
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
