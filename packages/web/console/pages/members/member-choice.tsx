import type { TeamMember } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Combobox } from '../../parts/combobox.tsx';
import { LEAVE } from '../../texts/members.ts';

const OFFERED = 20;

interface MemberChoiceProps {
  value: TeamMember | null;
  onChange: (member: TeamMember | null) => void;
  /** Who is not offered. */
  except: string;
}

/** One of the active members, of however many there are. */
export function MemberChoice({ value, onChange, except }: MemberChoiceProps) {
  const [q, setQ] = useState('');
  const query = useQuery({
    queryKey: ['members', 'choice', q],
    queryFn: ({ signal }) =>
      call('GET /members', { query: { active: true, limit: OFFERED, ...(q !== '' && { q }) } }, signal),
    placeholderData: (earlier) => earlier,
  });
  const offered = query.data?.members.filter(({ id }) => id !== except) ?? [];
  return (
    <Combobox
      items={offered}
      value={value}
      onChange={onChange}
      keyOf={({ id }) => id}
      labelOf={formatName}
      render={(member) => (
        <span className="row-words">
          <span className="row-main">{formatName(member)}</span>
          <span className="row-more">{member.title ?? member.email}</span>
        </span>
      )}
      onSearch={setQ}
      placeholder={LEAVE.choose}
      searchLabel={LEAVE.search}
      busy={query.isFetching}
    />
  );
}
