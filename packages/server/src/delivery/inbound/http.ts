import type { Reply } from './replies.ts';

const ID_MAX_LENGTH = 255;

/**
 * A text as the operator's own carrier reports it (docs/guides/delivery.md). Null if it is none. Without an id of its own, `callId`
 * identifies it, so that a replayed call is not applied again.
 */
export function readHttpText(
  { from, body, id, media }: Record<string, unknown>,
  callId: string,
): Omit<Reply, 'organizationId'> | null {
  if (typeof from !== 'string' || typeof body !== 'string') return null;
  return {
    from,
    body,
    media: typeof media === 'number' ? media : 0,
    reported: {
      carrier: 'http',
      id: typeof id === 'string' && id.length <= ID_MAX_LENGTH ? id : callId,
    },
  };
}
