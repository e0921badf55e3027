import type { Colleague } from '@foreword/contract';
import type { Page } from 'playwright-core';
import { button } from './actions.ts';
import { shown } from './catalogs.ts';
import { exampleNext } from './fake-server.ts';
import { press, type Step, type Story, see } from './story.ts';

const NAMES = [
  'Ana Ortiz',
  'Ben Cole',
  'Chloé Martin',
  'Dev Patel',
  'Eve Adler',
  'Finn Berg',
  'Gia Russo',
  'Hal Young',
];
export const TEAM: Colleague[] = [...NAMES, 'Ida Lund', 'Jo Park'].map((name, index) => ({ id: `mem_${index}`, name }));

/** Opens one of the two forms. `colleagues` answers the request for the team; null breaks the connection. */
export async function openUnable(
  page: Page,
  choice: 'Hand it over' | 'Decline' | null,
  colleagues: readonly Colleague[] | null = TEAM,
): Promise<void> {
  await page.route('**/colleagues', (route) =>
    colleagues === null ? route.abort() : route.fulfill({ json: { colleagues } }),
  );
  await button(page, 'Can’t record this one?').click();
  if (choice !== null) await page.getByRole('button', { name: shown(page, choice) }).click();
}

const unable =
  (...how: [choice: 'Hand it over' | 'Decline' | null, colleagues?: readonly Colleague[] | null]): Step =>
  (page) =>
    openUnable(page, ...how);

const chooseBen: Step = (page) => page.getByLabel('Ben Cole').check();

/** For a member who cannot record. */
export const UNABLE: Story[] = [
  { name: 'unable', steps: [unable(null)] },
  { name: 'unable-colleagues', steps: [unable('Hand it over'), chooseBen] },
  { name: 'unable-no-colleagues', steps: [unable('Hand it over', []), see('There is no one to hand it over to')] },
  { name: 'unable-failed', steps: [unable('Hand it over', null), (page) => button(page, 'Try again').waitFor()] },
  {
    name: 'unable-reason',
    steps: [
      unable('Decline'),
      (page) => page.getByLabel(shown(page, 'Other')).check(),
      (page) => page.getByLabel(shown(page, 'Reason')).fill('Ana'),
    ],
  },
  {
    name: 'declined',
    prepare(server) {
      server.state.intro.declined = true;
      server.next = exampleNext();
    },
  },
  {
    name: 'reassigned',
    steps: [
      (page) => page.route('**/hand-over', (route) => route.fulfill({ status: 204 })),
      ...[unable('Hand it over'), chooseBen, press('Hand over')],
      (page) => page.getByRole('heading', { name: 'Ben Cole' }).waitFor(),
    ],
  },
];
