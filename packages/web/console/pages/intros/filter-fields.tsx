import { DELIVERY_STATUS_NAMES, DELIVERY_STATUSES, INTRO_SORTS, WITHOUT_TOUCHPOINT } from '@foreword/contract/plain';
import { useQuery } from '@tanstack/react-query';
import { LinkButton } from '../../parts/button.tsx';
import { DateFilters, SelectFilter } from '../../parts/filters.tsx';
import { load } from '../../queries.ts';
import { type IntrosSearch, introSortOf, useIntrosChange } from '../../search-params.ts';
import { NO_TOUCHPOINT } from '../../texts.ts';
import { MemberFilter } from './choose-member.tsx';
import { INTROS } from './list-texts.ts';

const SORTS = INTRO_SORTS.map((value) => ({ value, label: INTROS.sorts[value] }));

function TouchpointFilter({ slug, isEvents }: { slug: string | undefined; isEvents: boolean }) {
  const change = useIntrosChange();
  const touchpoints = useQuery(load(['touchpoints', 'list'], 'GET /touchpoints'));
  const options = [
    { value: '', label: INTROS.anyTouchpoint },
    ...(touchpoints.data?.touchpoints ?? []).map((each) => ({ value: each.slug, label: each.name })),
    ...(isEvents ? [] : [{ value: WITHOUT_TOUCHPOINT, label: NO_TOUCHPOINT }]),
  ];
  return (
    <SelectFilter
      label={INTROS.touchpoint}
      value={slug ?? ''}
      options={options}
      onChange={(touchpoint) => change({ touchpoint })}
    />
  );
}

const DELIVERIES = [
  { value: '', label: INTROS.anyDelivery },
  ...DELIVERY_STATUSES.map((value) => ({ value, label: DELIVERY_STATUS_NAMES[value] })),
];

function DeliveryFilter({ delivery = '' }: { delivery: string | undefined }) {
  const change = useIntrosChange();
  return (
    <SelectFilter
      label={INTROS.delivery}
      value={DELIVERIES.some(({ value }) => value === delivery) ? delivery : ''}
      options={DELIVERIES}
      onChange={(value) => change({ delivery: value, status: undefined })}
    />
  );
}

/** Where the list has no column headings. */
function SortField({ search }: { search: IntrosSearch }) {
  const change = useIntrosChange();
  return (
    <div className="intro-sort-field">
      <SelectFilter
        label={INTROS.sort}
        value={introSortOf(search)}
        options={SORTS}
        onChange={(sort) => change({ sort: sort === 'created' ? undefined : sort })}
      />
    </div>
  );
}

/** The fields that the button of the filters shows. Their script loads when they are needed. */
export function FilterFields({ search, isEvents }: { search: IntrosSearch; isEvents: boolean }) {
  const change = useIntrosChange();
  const isFiltered = Object.keys(search).some((name) => name !== 'sort');
  return (
    <>
      <div className="filters">
        <MemberFilter id={search.member} onChange={(member) => change({ member })} />
        <TouchpointFilter slug={search.touchpoint} isEvents={isEvents} />
        {!isEvents && <DeliveryFilter delivery={search.delivery} />}
        {!isEvents && <SortField search={search} />}
        <DateFilters labels={INTROS} from={search.from} to={search.to} onChange={change} />
      </div>
      {isFiltered && (
        <LinkButton to={isEvents ? '/events' : '/intros'} search={{}} kind="plain" small icon="close">
          {INTROS.clear}
        </LinkButton>
      )}
    </>
  );
}
