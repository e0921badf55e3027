import { deriveCommand } from './operations.ts';

export const webhookCommands = [
  deriveCommand('webhook create', 'createWebhookEndpoint', {
    summary: 'Creates a webhook endpoint. Its signing secret is shown only once.',
    example: '--url https://crm.acme.example/foreword --events intro.ready --events intro.sent',
    note: 'The secret is shown only this once. The receiver uses it to verify that webhooks are genuine.',
  }),
  deriveCommand('webhook list', 'listWebhookEndpoints', {
    summary: 'Lists the webhook endpoints of an organization, newest first.',
    columns: ['id', 'url', 'description', 'events', 'active'],
  }),
  deriveCommand('webhook show', 'retrieveWebhookEndpoint', {
    of: 'whk',
    summary: 'Shows a webhook endpoint, including whether it is active or failing.',
  }),
  deriveCommand('webhook set', 'updateWebhookEndpoint', {
    of: 'whk',
    summary: 'Changes the URL, description, events or active state of a webhook endpoint.',
    example: '--active true',
  }),
  deriveCommand('webhook rotate', 'rotateWebhookSecret', {
    of: 'whk',
    summary: 'Creates a new signing secret, shown only once. For 24 hours, webhooks are signed with both secrets.',
    note: 'The secret is shown only this once. Configure it at the receiver within 24 hours.',
  }),
  deriveCommand('webhook replay', 'replayWebhooks', {
    of: 'whk',
    summary: 'Sends webhooks again: one message, or all that failed since a time.',
    example: '--since 2026-03-10T09:15:00Z',
  }),
  deriveCommand('webhook test', 'testWebhookEndpoint', {
    of: 'whk',
    summary: 'Sends a test event to an endpoint. Needs a running service. The result appears in its attempts.',
    example: '--type intro.ready',
  }),
  deriveCommand('webhook attempts', 'listWebhookAttempts', {
    of: 'whk',
    summary: 'Lists the newest attempts to send webhooks to an endpoint, and how its receiver answered.',
    columns: ['id', 'message', 'status', 'error', 'created_at'],
  }),
  deriveCommand('webhook delete', 'deleteWebhookEndpoint', {
    of: 'whk',
    summary: 'Deletes a webhook endpoint. This cannot be undone.',
  }),
];
