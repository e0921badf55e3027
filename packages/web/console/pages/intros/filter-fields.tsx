import { DELIVERY_STATUS_NAMES, DELIVERY_STATUSES, INTRO_SORTS, WITHOUT_TOUCHPOINT } from '@foreword/contract/plain';
import { useQuery } from '@tanstack/react-query';
import { LinkButton } from '../../parts/button.tsx';
import { Filter } from '../../parts/filters.tsx';
import { load } from '../../queries.ts';
import { type IntrosSearch, introSortOf, useSearchChange } from '../../search-params.ts';
import { NO_TOUCHPOINT, PARTS } from '../../texts.ts';
import { MemberFilter } from './choose-member.tsx';
import { INTROS } from './list-texts.ts';

const SORTS = INTRO_SORTS.map((value) => ({ value, label: INTROS.sorts[value] }));
const DELIVERIES = [
  { value: '', label: INTROS.anyDelivery },
  ...DELIVERY_STATUSES.map((value) => ({ value, label: DELIVERY_STATUS_NAMES[value] })),
];

/** The fields that the button of the filters shows. Their script loads when they are needed. */
export function FilterFields({ search, isEvents }: { search: IntrosSearch; isEvents: boolean }) {
  const change = useSearchChange<IntrosSearch>();
  const touchpoints = useQuery(load(['touchpoints', 'list'], 'GET /touchpoints'));
  const isFiltered = Object.keys(search).some((name) => name !== 'sort');
  const { member, touchpoint = '', delivery, from = '', to = '' } = search;
  return (
    <>
      <div className="filters">
        <MemberFilter id={member} onChange={(id) => change({ member: id })} />
        <Filter
          label={INTROS.touchpoint}
          value={touchpoint}
          options={[
            { value: '', label: INTROS.anyTouchpoint },
            ...(touchpoints.data?.touchpoints ?? []).map((each) => ({ value: each.slug, label: each.name })),
            ...(isEvents ? [] : [{ value: WITHOUT_TOUCHPOINT, label: NO_TOUCHPOINT }]),
          ]}
          onChange={(slug) => change({ touchpoint: slug })}
        />
        {!isEvents && (
          <>
            <Filter
              label={INTROS.delivery}
              value={DELIVERIES.find(({ value }) => value === delivery)?.value ?? ''}
              options={DELIVERIES}
              onChange={(value) => change({ delivery: value, status: undefined })}
            />
            {/* Where the list has no column headings. */}
            <div className="intro-sort-field">
              <Filter
                label={INTROS.sort}
                value={introSortOf(search)}
                options={SORTS}
                onChange={(sort) => change({ sort: sort === 'created' ? undefined : sort })}
              />
            </div>
          </>
        )}
        <Filter label={INTROS.from} value={from} max={to} onChange={(day) => change({ from: day })} />
        <Filter label={INTROS.to} value={to} min={from} onChange={(day) => change({ to: day })} />
      </div>
      {isFiltered && (
        <LinkButton
          to={isEvents ? '/events' : '/intros'}
          search={{}}
          kind="plain"
          small
          icon="close"
          label={PARTS.clearFilters}
        />
      )}
    </>
  );
}
