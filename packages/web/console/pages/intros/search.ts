import type { IntroSort } from '@foreword/contract';
import { INTRO_SORTS } from '@foreword/contract/plain';
import { getRouteApi } from '@tanstack/react-router';
import { type IntrosSearch, withChange } from '../../search-params.ts';

const route = getRouteApi('/intros');

type Change = { readonly [K in keyof IntrosSearch]: IntrosSearch[K] | undefined };

/** The order in the URL. An unknown value means the default. */
export const sortOf = ({ sort }: IntrosSearch): IntroSort => INTRO_SORTS.find((one) => one === sort) ?? 'created';

export function useChange(): (change: Change) => void {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (change) => void navigate({ search: withChange(search, change), replace: true, resetScroll: false });
}
