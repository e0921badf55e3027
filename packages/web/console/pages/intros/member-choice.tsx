import { useState } from 'react';
import { formatName } from '../../format.ts';
import { Combobox } from '../../parts/combobox.tsx';
import { ACTIONS } from '../../texts/intros.ts';
import { useMemberSearch } from './use-member-search.ts';

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
  /** False where the user may not list the team yet. */
  enabled?: boolean;
}

/** An active member to reassign intros to. */
export function MemberChoice({ value, onChange, exceptId, enabled = true }: MemberChoiceProps) {
  const [q, setQ] = useState('');
  const members = useMemberSearch(q.trim(), { active: true, enabled });
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
    />
  );
}
