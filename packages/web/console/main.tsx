import '../kit/tokens.css';
import '../kit/base.css';
import './console.css';
import './layout/layout.css';
import './parts/index.css';
import './pages/index.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { Live } from './live.ts';
import { createQueries } from './queries.ts';
import { createConsoleRouter } from './router.tsx';
import { readSession, SessionProvider } from './session.ts';

const session = readSession();
const queries = createQueries();
const router = createConsoleRouter(session);
const nonce = document.getElementById('style')?.nonce ?? '';
const room = document.getElementById('app');
if (room === null) throw new Error('This page was not made for the console.');

createRoot(room).render(
  <CSPProvider nonce={nonce}>
    <SessionProvider value={session}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </SessionProvider>
  </CSPProvider>,
);
new Live(queries).start();
