import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense } from 'react';
import { call } from '../../api.ts';
import { lazyComponent } from '../../lazy.ts';
import { Segmented } from '../../parts/choices.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { INTROS } from '../../texts/intro-list.ts';
import { Filters, StatusTabs } from './filters.tsx';
import { IntroList } from './intro-list.tsx';
import { RowsSkeleton } from './rows.tsx';
import { withChange } from './search.ts';

const route = getRouteApi('/intros');
const EventList = lazyComponent(() => import('./event-list.tsx'), 'EventList');
const VIEWS = (['intros', 'events'] as const).map((value) => ({ value, label: INTROS.views[value] }));

export function IntrosPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const view = search.view === 'events' ? 'events' : 'intros';
  const counts = useQuery({
    queryKey: ['intros', 'counts', search.member],
    queryFn: ({ signal }) => call('GET /intro-counts', { query: { member: search.member } }, signal),
  });
  const show = (next: 'intros' | 'events') =>
    void navigate({
      search: withChange(search, { view: next === 'events' ? next : undefined, status: undefined, sort: undefined }),
      replace: true,
    });
  const tabs = <StatusTabs search={search} counts={counts.data} />;
  return (
    <div className="intros-page">
      <PageHeader
        title={INTROS.title}
        actions={<Segmented label={INTROS.view} value={view} options={VIEWS} onChange={show} />}
      />
      <Filters search={search} />
      {view === 'events' ? (
        <div>
          {tabs}
          <Suspense fallback={<RowsSkeleton />}>
            <EventList search={search} />
          </Suspense>
        </div>
      ) : (
        <IntroList search={search} tabs={tabs} />
      )}
    </div>
  );
}
