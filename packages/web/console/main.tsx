/** The team console. */

// One style sheet for all pages. The order of the imports is the order of the rules.
import '../kit/typeface.css';
import '../kit/tokens.css';
import '../kit/base.css';
import './console.css';
import './layout/layout.css';
import './parts/page.css';
import './parts/display.css';
import './parts/form.css';
import './parts/choices.css';
import './parts/overlay.css';
import './parts/rows.css';
import './palette/palette.css';
import './pages/pages.css';
import './pages/overview/overview.css';
import './pages/intros/intros.css';
import './pages/touchpoints/touchpoints.css';
import './pages/developers/developers.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import type { ConsoleSession } from '@foreword/contract';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { call, hasEmbedded, loadWhenReachable } from './api.ts';
import { createQueries } from './queries.ts';
import { createConsoleRouter } from './router.tsx';
import { readPendingSignIn, readSession, SessionProvider } from './session.ts';

const nonce = document.getElementById('style')?.nonce ?? '';
const container = document.getElementById('app');
if (container === null) throw new Error('The page has no #app element.');
const root = createRoot(container);

/** The session is embedded in the page and refetched when the member or the organization may have changed. */
function Console({ loaded, router }: { loaded: ConsoleSession; router: ReturnType<typeof createConsoleRouter> }) {
  const { data: session } = useQuery({
    queryKey: ['session'],
    queryFn: ({ signal }) => call('GET /session', {}, signal),
    initialData: loaded,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <SessionProvider value={session}>
      <RouterProvider router={router} context={{ session }} />
    </SessionProvider>
  );
}

function startConsole(): void {
  // Changes since the page was sent are not in its responses.
  const missed = hasEmbedded();
  const loaded = readSession();
  const queries = createQueries();
  root.render(
    <CSPProvider nonce={nonce}>
      <QueryClientProvider client={queries}>
        <Console loaded={loaded} router={createConsoleRouter(loaded)} />
      </QueryClientProvider>
    </CSPProvider>,
  );
  void loadWhenReachable(() => import('./live.ts')).then(
    ({ Live }) => new Live(queries, { missed }).start(),
    // A new version has replaced the script.
    () => window.location.reload(),
  );
}

const pending = readPendingSignIn();
if (pending === null) startConsole();
else {
  // Not awaited here: that script imports from this one, so each would wait for the other.
  void loadWhenReachable(() => import('./pages/signin/index.tsx')).then(
    ({ PasskeySignIn }) => root.render(<PasskeySignIn pending={pending} />),
    () => window.location.reload(),
  );
}
