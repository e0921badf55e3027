/** A member's home: what to record. */

import { useQuery } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { LinkButton } from '../../parts/button.tsx';
import { EmptyState, Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { HOME } from '../../texts/home.ts';
import { Recorded } from './recorded.tsx';
import { Tasks } from './tasks.tsx';

/** Live updates report when processing ends, but not its progress, so progress is polled. */
const PROGRESS_POLL_MS = 2_000;

/** The member's open recordings and the results of past ones. */
export function HomePage() {
  const home = useQuery({
    queryKey: ['intros', 'home', 'to record'],
    queryFn: ({ signal }) => call('GET /home', {}, signal),
    refetchInterval: ({ state }) =>
      state.data?.to_record.some((task) => task.state === 'processing') === true ? PROGRESS_POLL_MS : false,
  });
  return (
    <>
      <PageHeader
        title={HOME.title}
        actions={
          <LinkButton to="/home/new" kind="quiet" icon="plus">
            {HOME.start}
          </LinkButton>
        }
      />
      <section className="home-part" aria-labelledby="to-record">
        <h2 id="to-record">{HOME.toRecord}</h2>
        <Loaded query={home}>
          {({ to_record: tasks, has_more_to_record: hasMore }) =>
            tasks.length === 0 ? (
              <EmptyState icon="check" title={HOME.toRecordEmpty}>
                {HOME.toRecordEmptyLead}
              </EmptyState>
            ) : (
              <>
                <Tasks tasks={tasks} />
                {hasMore && <p className="home-empty">{HOME.moreToRecord}</p>}
              </>
            )
          }
        </Loaded>
      </section>
      <section className="home-part" aria-labelledby="recorded">
        <h2 id="recorded">{HOME.recorded}</h2>
        <Recorded />
      </section>
    </>
  );
}
