import type { TeamMember } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Combobox } from '../../parts/combobox.tsx';
import { DEACTIVATE } from '../../texts/members.ts';

const MAX_OPTIONS = 20;

interface MemberChoiceProps {
  value: TeamMember | null;
  onChange: (member: TeamMember | null) => void;
  /** The id of the member to leave out. */
  except: string;
}

/** Picks one of the active members; the search runs on the server. */
export function MemberChoice({ value, onChange, except }: MemberChoiceProps) {
  const [q, setQ] = useState('');
  const query = useQuery({
    queryKey: ['members', 'choice', q],
    queryFn: ({ signal }) =>
      call('GET /members', { query: { active: true, limit: MAX_OPTIONS, ...(q !== '' && { q }) } }, signal),
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
        <span className="row-text">
          <span className="row-main">{formatName(member)}</span>
          <span className="row-more">{member.title ?? member.email}</span>
        </span>
      )}
      onSearch={setQ}
      placeholder={DEACTIVATE.choose}
      searchLabel={DEACTIVATE.search}
      busy={query.isFetching}
    />
  );
}
