import type { IntroSort, OverviewDays } from '@foreword/contract';
import { INTRO_SORTS, type Lane, OVERVIEW_DAYS, type Role } from '@foreword/contract/plain';
import { useNavigate } from '@tanstack/react-router';

/** The router parses `?q=2468` as a number, but searches for phone numbers must stay text. */
const readText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;

/** Reads these search parameters as text, without empty ones. The server reports invalid values. */
const textsNamed =
  <const Name extends string>(...names: readonly Name[]) =>
  (search: Record<string, unknown>): { readonly [N in Name]?: string } => {
    const found: Partial<Record<Name, string>> = {};
    for (const name of names) {
      const text = readText(search[name]);
      if (text !== undefined && text !== '') found[name] = text;
    }
    return found;
  };

type Change<Search> = { readonly [Name in keyof Search]?: Search[Name] | undefined };

/** The search with a change, without empty values. */
export const withChange = <Search extends object>(search: Search, change: Change<Search>): Search =>
  Object.fromEntries(
    Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined && value !== ''),
  ) as Search;

export const readRequestsSearch = textsNamed('q', 'method', 'status', 'key', 'error', 'since', 'until');
export type RequestsSearch = ReturnType<typeof readRequestsSearch>;

/** `by` is the kind of actor, `actor` the id of one. `action` may be a group of actions. */
export const readActivitySearch = textsNamed('q', 'actor', 'by', 'action', 'from', 'to');
export type ActivitySearch = ReturnType<typeof readActivitySearch>;

export const readIntrosSearch = textsNamed(
  ...(['q', 'status', 'delivery', 'problem', 'watched', 'member', 'touchpoint', 'from', 'to', 'sort'] as const),
);
export type IntrosSearch = ReturnType<typeof readIntrosSearch>;

export const readOutboxSearch = textsNamed('status', 'audience');

/** `to=me`: a test, to the member's own phone. */
export const readNewIntroSearch = textsNamed('to');

export interface MembersSearch {
  readonly q?: string;
  /** Left out for active members. */
  readonly status?: 'deactivated' | 'all';
  readonly lane?: Lane;
  readonly role?: Role;
  readonly shared?: 'yes';
}

type ReadMembersSearch = (search: Record<string, unknown>) => MembersSearch;
export const readMembersSearch = textsNamed('q', 'status', 'lane', 'role', 'shared') as ReadMembersSearch;

/** Reads the period from the address bar; ignores unknown values. */
export function readOverviewSearch(search: Record<string, unknown>): { readonly days?: OverviewDays } {
  const days = OVERVIEW_DAYS.find((each) => String(each) === String(search.days));
  return days === undefined ? {} : { days };
}

/** The order in the URL. An unknown value means the default. */
export const introSortOf = ({ sort }: IntrosSearch): IntroSort => INTRO_SORTS.find((one) => one === sort) ?? 'created';

/** Changes the filters in the address, in place of the current entry of the history. */
export function useSearchChange<Search extends object>(): (change: Change<Search>) => void {
  const navigate = useNavigate();
  return (change) =>
    void navigate({
      to: '.',
      search: (search) => withChange(search as Search, change),
      replace: true,
      resetScroll: false,
    });
}
