import type { RecorderState } from '@foreword/contract';
import { button, returnLater, sendTake, text } from './actions.ts';
import { exampleNext, exampleTake, type FakeServer } from './fake-server.ts';
import type { Story } from './story.ts';

const asReady = (server: FakeServer): void => {
  server.state.intro.status = 'ready';
  server.state.recording = exampleTake('ready');
};

type Text = NonNullable<RecorderState['intro']['text']>;

const APPOINTMENT_OVER = { code: 'appointment_over', message: 'The appointment has started.' };
const NO_PROVIDER = { code: 'no_text_provider', message: 'Not sent: no text provider is connected.' };

/** The service delivers, with this result so far. */
export function asTexted(server: FakeServer, change: Pick<Text, 'status'> & Partial<Text>): void {
  asReady(server);
  server.state.intro.delivery = 'service';
  server.state.intro.text = { due_at: null, reason: null, timezone: 'America/Chicago', problem: null, ...change };
}

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
    async play(page, server) {
      await button(page, 'Record again').click();
      return returnLater(page, server);
    },
  },
  {
    name: 'done-service',
    prepare: (server) => asTexted(server, { status: 'queued' }),
  },
  {
    name: 'done-later',
    prepare: (server) => asTexted(server, { status: 'scheduled', due_at: tomorrow(), reason: 'quiet_hours' }),
  },
  {
    name: 'done-not-sent',
    prepare: (server) => asTexted(server, { status: 'not_sent', problem: NO_PROVIDER }),
  },
  {
    name: 'done-too-late',
    prepare: (server) => asTexted(server, { status: 'not_sent', problem: APPOINTMENT_OVER }),
  },
  {
    name: 'done-simulated',
    prepare: (server) => {
      asTexted(server, { status: 'simulated' });
      server.state.intro.status = 'sent';
    },
  },
  {
    name: 'done-delivered',
    prepare: (server) => {
      asTexted(server, { status: 'delivered' });
      server.state.intro.status = 'sent';
    },
  },
  {
    name: 'done-next',
    prepare: (server) => {
      server.next = exampleNext();
      asTexted(server, { status: 'queued' });
    },
  },
  {
    name: 'done-nothing-left',
    prepare: (server) => {
      server.next = { next: null, left: 0, has_more: false, home: '/console/home' };
      asTexted(server, { status: 'not_sent', problem: NO_PROVIDER });
    },
  },
  {
    name: 'done-earlier',
    prepare: (server) => {
      server.next = exampleNext(1);
      server.uploads = 'offline';
    },
    async play(page) {
      await sendTake(page);
      await button(page, 'Record').click();
      await button(page, 'Record').waitFor();
      await text(page, 'Waiting for signal').waitFor();
      await button(page, 'Back').click();
      await text(page, 'Waiting for signal').waitFor();
      return page;
    },
  },
  {
    name: 'sent',
    prepare: (server) => {
      asReady(server);
      server.state.intro.status = 'sent';
    },
  },
];
