import { INTRO_SORTS, WITHOUT_TOUCHPOINT } from '@foreword/contract/plain';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Input } from '../../parts/input.tsx';
import { Select } from '../../parts/select.tsx';
import { useZoneHint } from '../../parts/time.tsx';
import type { IntrosSearch } from '../../search-params.ts';
import { NO_TOUCHPOINT } from '../../texts/common.ts';
import { INTROS } from '../../texts/intro-list.ts';
import { MemberFilter } from './member-filter.tsx';
import { sortOf, useChange } from './search.ts';

const SORTS = INTRO_SORTS.map((value) => ({ value, label: INTROS.sorts[value] }));

function TouchpointFilter({ slug, isEvents }: { slug: string | undefined; isEvents: boolean }) {
  const change = useChange();
  const touchpoints = useQuery({
    queryKey: ['touchpoints', 'list'],
    queryFn: ({ signal }) => call('GET /touchpoints', {}, signal),
  });
  const options = [
    { value: '', label: INTROS.anyTouchpoint },
    ...(touchpoints.data?.touchpoints ?? []).map((each) => ({ value: each.slug, label: each.name })),
    ...(isEvents ? [] : [{ value: WITHOUT_TOUCHPOINT, label: NO_TOUCHPOINT }]),
  ];
  return (
    <Field label={INTROS.touchpoint} group>
      <Select
        aria-label={INTROS.touchpoint}
        value={slug ?? ''}
        options={options}
        onChange={(touchpoint) => change({ touchpoint })}
      />
    </Field>
  );
}

function SortField({ search }: { search: IntrosSearch }) {
  const change = useChange();
  return (
    <Field label={INTROS.sort} group>
      <Select
        aria-label={INTROS.sort}
        value={sortOf(search)}
        options={SORTS}
        onChange={(sort) => change({ sort: sort === 'created' ? undefined : sort })}
      />
    </Field>
  );
}

/** The fields that the button of the filters shows. Their script loads when they are needed. */
export function FilterFields({ search }: { search: IntrosSearch }) {
  const change = useChange();
  const zoneHint = useZoneHint();
  const { view } = search;
  const isFiltered = Object.keys(search).some((name) => name !== 'view' && name !== 'sort');
  return (
    <>
      <div className="filter-fields">
        <MemberFilter id={search.member} onChange={(member) => change({ member })} />
        <TouchpointFilter slug={search.touchpoint} isEvents={view === 'events'} />
        {view !== 'events' && <SortField search={search} />}
        <Field label={INTROS.from} group hint={zoneHint}>
          <Input
            type="date"
            aria-label={INTROS.from}
            value={search.from ?? ''}
            max={search.to}
            onChange={(from) => change({ from })}
          />
        </Field>
        <Field label={INTROS.to} group hint={zoneHint}>
          <Input
            type="date"
            aria-label={INTROS.to}
            value={search.to ?? ''}
            min={search.from}
            onChange={(to) => change({ to })}
          />
        </Field>
      </div>
      {isFiltered && (
        <LinkButton
          to="/intros"
          search={view === undefined ? {} : { view }}
          kind="plain"
          small
          icon="close"
          className="intros-clear"
        >
          {INTROS.clear}
        </LinkButton>
      )}
    </>
  );
}
