import type { Colleague } from '@foreword/contract';
import type { Page } from 'playwright-core';
import { button, text } from './actions.ts';
import { shown } from './catalogs.ts';
import { exampleNext } from './fake-server.ts';
import type { Story } from './story.ts';

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

/** For a member who cannot record. */
export const UNABLE: Story[] = [
  {
    name: 'unable',
    async play(page) {
      await openUnable(page, null);
      return page;
    },
  },
  {
    name: 'unable-colleagues',
    async play(page) {
      await openUnable(page, 'Hand it over');
      await page.getByLabel('Ben Cole').check();
      return page;
    },
  },
  {
    name: 'unable-no-colleagues',
    async play(page) {
      await openUnable(page, 'Hand it over', []);
      await text(page, 'There is no one to hand it over to').waitFor();
      return page;
    },
  },
  {
    name: 'unable-failed',
    async play(page) {
      await openUnable(page, 'Hand it over', null);
      await button(page, 'Try again').waitFor();
      return page;
    },
  },
  {
    name: 'unable-reason',
    async play(page) {
      await openUnable(page, 'Decline');
      await page.getByLabel(shown(page, 'Other')).check();
      await button(page, 'Decline').click();
      await text(page, 'Write a short reason.').waitFor();
      return page;
    },
  },
  {
    name: 'declined',
    prepare: (server) => {
      server.state.intro.declined = true;
      server.next = exampleNext();
    },
  },
  {
    name: 'reassigned',
    async play(page) {
      await page.route('**/hand-over', (route) => route.fulfill({ status: 204 }));
      await openUnable(page, 'Hand it over');
      await page.getByLabel('Ben Cole').check();
      await button(page, 'Hand over').click();
      await page.getByRole('heading', { name: 'Ben Cole' }).waitFor();
      return page;
    },
  },
];
