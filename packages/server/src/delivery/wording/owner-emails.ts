import type { WebhookEndpointRow } from '../../tables.ts';
import type { Email } from './email.ts';

/** Why the service disabled an endpoint. */
export type DisabledReason = NonNullable<WebhookEndpointRow['disabled_reason']>;

const REASONS: Readonly<Record<DisabledReason, string>> = {
  gone: 'It responded with status 410, which means that it no longer wants any webhooks.',
  failing: 'Everything sent to it has failed for five days.',
};

export interface DisabledEndpoint {
  readonly endpoint: Pick<WebhookEndpointRow, 'id' | 'url'>;
  readonly reason: DisabledReason;
  readonly organization: string;
  readonly ownerFirstName: string;
}

export function writeDisabledEndpoint({ endpoint, reason, organization, ownerFirstName }: DisabledEndpoint): Email {
  const { host, origin, pathname } = new URL(endpoint.url);
  const path = `/v1/webhook_endpoints/${endpoint.id}`;
  return {
    subject: `Webhooks to ${host} are turned off`,
    greeting: `Hi ${ownerFirstName},`,
    lines: [
      // Without user and query, which may be secrets.
      `Foreword has turned off a webhook endpoint of ${organization}: ${origin}${pathname} (${endpoint.id}).`,
      REASONS[reason],
      'Pending webhooks to it will not be sent, and it will not receive new ones. Your intros are not affected.',
      `To turn it on again, fix the receiver, then call POST ${path} with {"active": true}. POST ${path}/replay sends the missed webhooks again, and GET ${path}/attempts shows each response.`,
      "If you no longer need this endpoint, you don't have to do anything.",
    ],
    organization: `Foreword, for ${organization}`,
  };
}
