import type { IntroSort } from '@foreword/contract';
import { INTRO_SORTS } from '@foreword/contract/plain';
import { useNavigate } from '@tanstack/react-router';
import { type IntrosSearch, withChange } from '../../search-params.ts';

type Change = { readonly [K in keyof IntrosSearch]: IntrosSearch[K] | undefined };

/** The order in the URL. An unknown value means the default. */
export const sortOf = ({ sort }: IntrosSearch): IntroSort => INTRO_SORTS.find((one) => one === sort) ?? 'created';

/** Changes the filters of the list of intros or events. */
export function useChange(): (change: Change) => void {
  const navigate = useNavigate();
  return (change) =>
    void navigate({
      to: '.',
      search: (search) => withChange(search as IntrosSearch, change),
      replace: true,
      resetScroll: false,
    });
}
