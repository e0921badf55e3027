import { formatCount, formatNumber } from '../../format.ts';

export const KEYS = {
  create: 'Create key',
  name: 'Name',
  scopeChoices: {
    full: { name: 'Full access', hint: 'Every operation of the API.' },
    events: {
      name: 'Events only',
      hint: 'Reports and retrieves events, and reads touchpoints. For a CRM that only reports.',
    },
    read: { name: 'Read only', hint: 'Reads everything and changes nothing. For reports and dashboards.' },
  },
  agentWritesHint:
    'Agents that connect with this key can report events and change objects. Otherwise they can only read.',
  allowedIpsHint: 'One address or network per line, such as 203.0.113.0/24. Leave empty to allow any.',
  onlyFrom: (networks: readonly string[]) =>
    networks.length === 1 ? `Only from ${networks[0]}` : `Only from ${formatCount(networks.length, 'network')}`,
} as const;

export const WEBHOOKS = {
  lead: 'Foreword notifies your system of each event, so you don’t have to poll. Messages are signed and retried until they are delivered.',
  add: 'Add webhook',
  limitReached: (limit: number) =>
    `Your organization has ${formatNumber(limit)} webhook endpoints, which is the limit. Delete one to add another.`,
  description: 'Description',
  secretLead: 'Use it to verify that messages come from Foreword. Copy it now. It won’t be shown again.',
} as const;

export const ENDPOINT = {
  title: 'Webhook endpoint',
  whyOff: {
    gone: 'Turned off because it responded with 410 (Gone). If that was a mistake, turn it on again.',
    failing:
      'Turned off because every delivery failed for five days. Fix your endpoint, turn it on again, then resend the failed messages.',
    team: 'Your team turned it off. No messages are sent to it.',
  },
  failing: 'Every delivery has failed since then. After five days of failures, the endpoint is turned off.',
  turnOff: 'Turn off',
  turnOffLead: 'No more messages are sent to it: they fail, and you can resend them after you turn it on again.',
  test: 'Send test',
  testLead: 'Sends an example of one event to this endpoint only. It has the header “webhook-test: true”.',
  settings: 'Settings',
  count: (count: number, limit: number) => (count >= limit ? `${formatNumber(limit)} or more` : formatNumber(count)),
  rotate: 'Rotate secret',
  rotateLead:
    'For 24 hours, messages are signed with both the old and the new secret. Update your system in that time. If you rotate again before, the oldest secret ends at once.',
  removeLead: 'No more messages are sent to it, and its delivery history is removed. You can’t undo this.',
  attempts: 'Delivery attempts',
  retrying: 'Retrying',
  resend: 'Resend',
  resendFailed: 'Resend failed messages',
  resendLead:
    'Resends every message since this time that failed or waits for a retry. Messages keep their IDs, so your system can skip duplicates.',
  resentFailed: (messages: number) =>
    messages === 0 ? 'No failed messages since then.' : `Resending ${formatCount(messages, 'message')}.`,
} as const;
