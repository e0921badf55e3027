import type { WebhookEndpointRow } from '../../tables.ts';
import type { Letter } from './texts.ts';

/** Why the service turned an endpoint off. */
export type DisabledReason = NonNullable<WebhookEndpointRow['disabled_reason']>;

const REASONS: Readonly<Record<DisabledReason, string>> = {
  gone: 'It answered with status 410, which says that nothing more is wanted there.',
  failing: 'For five days everything that was sent to it has failed.',
};

export interface DisabledEndpoint {
  readonly endpoint: Pick<WebhookEndpointRow, 'id' | 'url'>;
  readonly reason: DisabledReason;
  readonly organization: string;
  readonly ownerFirstName: string;
}

/** Which endpoint, why, and what to do. */
export function writeDisabledEndpoint({ endpoint, reason, organization, ownerFirstName }: DisabledEndpoint): Letter {
  const { host, origin, pathname } = new URL(endpoint.url);
  const path = `/v1/webhook_endpoints/${endpoint.id}`;
  return {
    subject: `Webhooks to ${host} are turned off`,
    greeting: `Hi ${ownerFirstName},`,
    lines: [
      // Without user and query, which may be secrets.
      `Foreword has turned off a webhook endpoint of ${organization}: ${origin}${pathname} (${endpoint.id}).`,
      REASONS[reason],
      'What waited for it is not sent any more, so whatever listens there no longer hears of your intros. The intros themselves go on as before.',
      `To turn it on again, mend what listens there, then call POST ${path} with {"active": true}. POST ${path}/replay sends again what was missed, and GET ${path}/attempts shows what was answered.`,
      'If the endpoint is not wanted any more, there is nothing to do.',
    ],
    organization: `Foreword, for ${organization}`,
  };
}
