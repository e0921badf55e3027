import type { ConsoleIntroRow, TeamMember } from '@foreword/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../api.ts';
import { formatName, formatPhone } from '../format.ts';
import { useMay } from '../session.ts';
import { NO_TOUCHPOINT, STATUS_NAMES } from '../texts/common.ts';
import { PALETTE } from '../texts/palette.ts';
import { useDebounced } from '../use-debounced.ts';
import type { Group, Item } from './items.ts';

/** About the pause between typed words, so that each word causes one search. */
const DEBOUNCE_MS = 200;
/** The lists show the rest. */
const SHOWN = 6;

const introItem = ({ id, recipient, touchpoint, status, reference_id }: ConsoleIntroRow): Item => ({
  id,
  label: formatName(recipient),
  detail: [formatPhone(recipient.phone), touchpoint?.name ?? NO_TOUCHPOINT, STATUS_NAMES[status], reference_id]
    .filter((part) => part !== null)
    .join(' · '),
  icon: 'video',
  target: { to: '/intros/$id', params: { id } },
});

const memberItem = (member: TeamMember): Item => ({
  id: member.id,
  label: formatName(member),
  detail: member.email,
  icon: 'people',
  target: { to: '/members/$id', params: { id: member.id } },
});

/** An id leads to its page, whether or not the search finds it. */
function itemsOfId(text: string): readonly Item[] {
  const id = text.toLowerCase();
  if (!/^[a-z]{3}_[0-9a-z]{26}$/.test(id)) return [];
  if (id.startsWith('evt_')) {
    return [{ id, label: PALETTE.openEvent(id), icon: 'file', target: { to: '/events/$id', params: { id } } }];
  }
  if (id.startsWith('mem_')) {
    return [{ id, label: PALETTE.openMember(id), icon: 'people', target: { to: '/members/$id', params: { id } } }];
  }
  return [];
}

const allIntros = (q: string): Item => ({
  id: 'all-intros',
  label: PALETTE.allIntros(q),
  icon: 'search',
  target: { to: '/intros', search: { q } },
});

/** Searches intros and members like their lists do. Members find only their own intros. */
export function useResults(text: string) {
  const isManager = useMay('manager');
  const typed = text.trim();
  const q = useDebounced(typed, DEBOUNCE_MS);
  const options = { enabled: q !== '', placeholderData: keepPreviousData };
  const intros = useQuery({
    ...options,
    queryKey: ['intros', 'palette', q],
    queryFn: ({ signal }) => call('GET /intros', { query: { q } }, signal),
  });
  const members = useQuery({
    ...options,
    enabled: q !== '' && isManager,
    queryKey: ['members', 'palette', q],
    queryFn: ({ signal }) => call('GET /members', { query: { q, limit: SHOWN } }, signal),
  });
  const queries = isManager ? [intros, members] : [intros];
  const rows = typed === '' ? [] : (intros.data?.rows ?? []);
  const people = typed === '' ? [] : (members.data?.members ?? []);
  const hasMore = isManager && rows.length > SHOWN;
  const groups: readonly Group[] = [
    { name: PALETTE.intros, items: [...rows.slice(0, SHOWN).map(introItem), ...(hasMore ? [allIntros(q)] : [])] },
    { name: PALETTE.members, items: people.map(memberItem) },
    { name: PALETTE.byId, items: isManager ? itemsOfId(typed) : [] },
  ];
  return {
    groups,
    isSearching: typed !== '' && (typed !== q || queries.some(({ isFetching }) => isFetching)),
    isFailed: typed !== '' && queries.some(({ isError }) => isError),
    retry: () => void Promise.all(queries.filter(({ isError }) => isError).map(({ refetch }) => refetch())),
  };
}
