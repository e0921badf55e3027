import type { Reply } from './replies.ts';

/** A text as Twilio reports it: https://www.twilio.com/docs/messaging/guides/webhook-request */
export function readTwilioText(fields: URLSearchParams): Omit<Reply, 'organizationId'> {
  const id = fields.get('MessageSid');
  return {
    from: fields.get('From') ?? '',
    body: fields.get('Body') ?? '',
    media: Number(fields.get('NumMedia') ?? 0) || 0,
    // A fallback URL may lead to another node.
    ...(id !== null && { reported: { carrier: 'twilio', id } }),
  };
}
