import type { Keyword } from './rules.ts';

// Telnyx's webhooks: https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks

export interface TelnyxEvent {
  readonly id: string;
  readonly type: string;
  readonly payload: unknown;
}

export function readTelnyxEvent(json: Record<string, unknown> | null): TelnyxEvent | null {
  const { id, event_type: type, payload } = (json?.data ?? {}) as Record<string, unknown>;
  return typeof id === 'string' && typeof type === 'string' ? { id, type, payload } : null;
}

/** The keywords that Telnyx answers itself, as `autoresponse_type` names them. */
const KEYWORDS: Readonly<Record<string, Keyword>> = { STOP: 'stop', START: 'start', HELP: 'help' };

interface Received {
  readonly from?: { readonly phone_number?: unknown };
  readonly to?: readonly { readonly phone_number?: unknown }[];
  readonly text?: unknown;
  readonly media?: unknown;
  readonly autoresponse_type?: unknown;
}

export interface TelnyxText {
  readonly from: string;
  /** The number that received it. */
  readonly to: string;
  readonly body: string;
  /** Pictures and other files. */
  readonly media: number;
  /** Null: Telnyx did not reply. */
  readonly keyword: Keyword | null;
}

/** Null if the payload is not a text. */
export function readTelnyxReply(payload: unknown): TelnyxText | null {
  const { from, to, text: given, media, autoresponse_type: type } = (payload ?? {}) as Received;
  const files = Array.isArray(media) ? media.length : 0;
  // A picture may come without words.
  const text = given ?? (files > 0 ? '' : undefined);
  const [sender, receiver] = [from?.phone_number, Array.isArray(to) ? to[0]?.phone_number : undefined];
  if (typeof sender !== 'string' || typeof receiver !== 'string' || typeof text !== 'string') return null;
  return {
    from: sender,
    to: receiver,
    body: text,
    media: files,
    keyword: KEYWORDS[String(type).toUpperCase()] ?? null,
  };
}
