import { deriveCommand } from './operations.ts';

export const eventCommands = [
  deriveCommand('event list', 'listEvents', {
    summary: 'Lists the newest touchpoint events of an organization.',
    example: '--status failed',
    columns: ['id', 'status', 'touchpoint', 'error', 'created_at'],
  }),
  deriveCommand('event show', 'retrieveEvent', {
    of: 'evt',
    summary: 'Shows an event: what it was matched to, its intro, or why it failed.',
  }),
  deriveCommand('event retry', 'retryEvent', {
    of: 'evt',
    summary: 'Processes a failed event again, once you have fixed the cause. Needs a running service.',
    note: 'A running service processes it within seconds. See foreword event show.',
  }),
];
