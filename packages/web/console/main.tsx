import '../kit/tokens.css';
import '../kit/base.css';
import './console.css';
import './layout/layout.css';
import './parts/index.css';
import './pages/index.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { call } from './api.ts';
import { Live } from './live.ts';
import { createQueries } from './queries.ts';
import { createConsoleRouter } from './router.tsx';
import { readSession, SessionProvider } from './session.ts';

const loaded = readSession();
const queries = createQueries();
const router = createConsoleRouter(loaded);
const nonce = document.getElementById('style')?.nonce ?? '';
const container = document.getElementById('app');
if (container === null) throw new Error('The page has no #app element.');

/** The session is embedded in the page and refetched when the member or the organization may have changed. */
function Console() {
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

createRoot(container).render(
  <CSPProvider nonce={nonce}>
    <QueryClientProvider client={queries}>
      <Console />
    </QueryClientProvider>
  </CSPProvider>,
);
new Live(queries).start();
