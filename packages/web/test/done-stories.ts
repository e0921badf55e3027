import { button, returnLater } from './actions.ts';
import type { FakeServer } from './fake-server.ts';
import type { Story } from './story.ts';

const asReady = (server: FakeServer): void => {
  server.state.intro.status = 'ready';
  server.state.recording = { id: 'rec_0', status: 'ready', progress: 100, message: null };
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
    async play(page, server) {
      await button(page, 'Record again').click();
      return returnLater(page, server);
    },
  },
  {
    name: 'done-service',
    prepare: (server) => {
      asReady(server);
      server.state.intro.delivery = 'service';
    },
  },
  {
    name: 'done-later',
    prepare: (server) => {
      asReady(server);
      server.state.intro.delivery = 'service';
      server.state.intro.text = { due_at: tomorrow(), timezone: 'America/Chicago', problem: null };
    },
  },
  {
    name: 'done-not-sent',
    prepare: (server) => {
      asReady(server);
      server.state.intro.delivery = 'service';
      const problem = { code: 'no_text_provider', message: 'Not sent: no text provider is connected.' };
      server.state.intro.text = { due_at: null, timezone: 'America/Chicago', problem };
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
