import type { ConsoleEventRow } from '@foreword/contract';
import { call } from '../../api.ts';
import { LinkButton } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/states.tsx';
import type { IntrosSearch } from '../../search-params.ts';
import { useMay } from '../../session.ts';
import { EventColumns, EventRow } from '../events/row.tsx';
import { INTROS } from './list-texts.ts';
import { Rows, useLiveList } from './rows.tsx';

/** The list of events, in place of that of intros. */
export function EventList({ search }: { search: IntrosSearch }) {
  const isOwner = useMay('owner');
  const { sort: _sort, delivery: _delivery, problem: _problem, watched: _watched, ...query } = search;
  const list = useLiveList<ConsoleEventRow>(['intros', 'events', query], (after, signal) =>
    call('GET /events', { query: { ...query, after } }, signal),
  );
  return (
    <Rows
      list={list}
      label={INTROS.events}
      render={(row) => <EventRow row={row} />}
      names={<EventColumns names={INTROS.eventColumns} />}
      isFiltered={Object.keys(query).length > 0}
      empty={
        <EmptyState
          icon="moment"
          title={INTROS.emptyEvents}
          action={
            isOwner && (
              <LinkButton to="/developers" kind="quiet">
                {INTROS.firstSteps}
              </LinkButton>
            )
          }
        >
          {INTROS.emptyEventsLead}
        </EmptyState>
      }
    />
  );
}
