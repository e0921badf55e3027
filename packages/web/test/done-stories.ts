import type { RecorderState } from '@foreword/contract';
import type { Page } from 'playwright-core';
import { asReady, button, returnLater, sendTake } from './actions.ts';
import { exampleNext, type FakeServer } from './fake-server.ts';
import { press, type Story, see, withServer } from './story.ts';

type Text = NonNullable<RecorderState['intro']['text']>;
type TextChange = Pick<Text, 'status'> & Partial<Text>;

const APPOINTMENT_OVER = { code: 'appointment_over', message: 'The appointment has started.' };
const NO_PROVIDER = { code: 'no_text_provider', message: 'Not sent: no text provider is connected.' };

/** The service delivers, with this result so far. */
export function asTexted(server: FakeServer, change: TextChange): void {
  asReady(server);
  server.state.intro.delivery = 'service';
  server.state.intro.text = { due_at: null, reason: null, timezone: 'America/Chicago', problem: null, ...change };
}

const texted =
  (change: TextChange, more: Partial<FakeServer> = {}, status: RecorderState['intro']['status'] = 'ready') =>
  (server: FakeServer): void => {
    asTexted(server, change);
    server.state.intro.status = status;
    Object.assign(server, more);
  };

/** 8 AM in Chicago, in winter. */
function tomorrow(): string {
  const dayMs = 86_400_000;
  return new Date((Math.floor(Date.now() / dayMs) + 1) * dayMs + 14 * 3_600_000).toISOString();
}

/** The recorder's last screen. */
export const DONE: Story[] = [
  { name: 'done', prepare: asReady },
  {
    name: 'done-leftover',
    prepare: asReady,
    steps: [press('Record again'), (page, server) => returnLater(page, server)],
  },
  { name: 'done-service', prepare: texted({ status: 'queued' }) },
  { name: 'done-later', prepare: texted({ status: 'scheduled', due_at: tomorrow(), reason: 'quiet_hours' }) },
  { name: 'done-not-sent', prepare: texted({ status: 'not_sent', problem: NO_PROVIDER }) },
  { name: 'done-too-late', prepare: texted({ status: 'not_sent', problem: APPOINTMENT_OVER }) },
  { name: 'done-simulated', prepare: texted({ status: 'simulated' }, {}, 'sent') },
  { name: 'done-delivered', prepare: texted({ status: 'delivered' }, {}, 'sent') },
  { name: 'done-next', prepare: texted({ status: 'queued' }, { next: exampleNext() }) },
  {
    name: 'done-nothing-left',
    prepare: texted(
      { status: 'not_sent', problem: NO_PROVIDER },
      { next: { next: null, left: 0, has_more: false, home: '/console/home' } },
    ),
  },
  {
    name: 'done-earlier',
    prepare: withServer({ next: exampleNext(1), uploads: 'offline' }),
    steps: [
      ...[sendTake, press('Record'), (page: Page) => button(page, 'Record').waitFor()],
      ...[see('Waiting for the server'), press('Back'), see('Waiting for the server')],
    ],
  },
  {
    name: 'sent',
    prepare(server) {
      asReady(server);
      server.state.intro.status = 'sent';
    },
  },
];
