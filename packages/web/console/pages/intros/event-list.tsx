import type { ConsoleEventRow } from '@foreword/contract';
import { call } from '../../api.ts';
import { LinkButton } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/loaded.tsx';
import type { IntrosSearch } from '../../search-params.ts';
import { INTROS } from '../../texts/intro-list.ts';
import { EventRow } from '../events/row.tsx';
import { EventColumns } from './event-cells.tsx';
import { Rows } from './rows.tsx';
import { useLiveList } from './use-live-list.ts';

/** The list of events, in place of that of intros. */
export function EventList({ search }: { search: IntrosSearch }) {
  const { view: _view, sort: _sort, ...query } = search;
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
            <LinkButton to="/developers" kind="quiet">
              {INTROS.firstSteps}
            </LinkButton>
          }
        >
          {INTROS.emptyEventsLead}
        </EmptyState>
      }
    />
  );
}
