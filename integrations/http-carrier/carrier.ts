import type { Journal } from './journal.ts';
import type { Call, Provider, Text } from './provider.ts';
import { sign } from './signatures.ts';

/** The carrier's side of the protocol in docs/guides/delivery.md, without HTTP. */
export interface Carrier {
  send(text: Text, statusUrl: string): Promise<Answer>;
  /** Whether the provider has the message. */
  query(id: string): Answer;
  report(id: string, call: Call): Promise<Answer>;
  reply(call: Call): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly json?: unknown;
  readonly content?: { readonly type: string; readonly body: string };
  readonly retryAfterS?: number;
}

export interface CarrierDeps {
  readonly provider: Provider;
  readonly journal: Journal;
  readonly secret: string;
  readonly forewordUrl: string;
  /** Where the provider reaches this service. */
  readonly publicUrl: string;
}

const FOREWORD_LIMIT_MS = 10_000;

export function createCarrier({ provider, journal, secret, forewordUrl, publicUrl }: CarrierDeps): Carrier {
  const inFlight = new Set<string>();

  async function callForeword(url: string, id: string, content: object): Promise<Response | null> {
    const body = JSON.stringify(content);
    const signal = AbortSignal.timeout(FOREWORD_LIMIT_MS);
    return fetch(url, { method: 'POST', headers: sign(secret, id, body), body, signal, redirect: 'manual' }).catch(
      () => null,
    );
  }

  /** Exactly once: the journal says that the provider may have the text before the provider can get it. */
  async function handOver(text: Text, statusUrl: string): Promise<Answer> {
    const { id } = text;
    journal.add({ id, statusUrl, state: 'handed_over' });
    const result = await provider.send(text, `${publicUrl}/provider/status/${encodeURIComponent(id)}`);
    switch (result.kind) {
      case 'sent':
        journal.add({ id, statusUrl, state: 'sent', providerId: result.providerId });
        return { status: 202, json: { id: result.providerId } };
      case 'refused': {
        const { code, message } = result;
        journal.add({ id, statusUrl, state: 'refused', code, message });
        return { status: 422, json: { code, message } };
      }
      case 'later':
        journal.add({ id, statusUrl, state: 'unsent' });
        return { status: 503, retryAfterS: result.retryAfterS };
      case 'unusable':
        journal.add({ id, statusUrl, state: 'unsent' });
        return { status: 403, json: { message: result.message } };
      default:
        return { status: 502 };
    }
  }

  return {
    async send(text, statusUrl) {
      const { id } = text;
      const known = journal.get(id);
      if (known?.state === 'sent') return { status: 202, json: { id: known.providerId } };
      if (known?.state === 'refused') return { status: 422, json: { code: known.code, message: known.message } };
      // Foreword queries after a 5xx.
      if (known?.state === 'handed_over') return { status: 502 };
      inFlight.add(id);
      return handOver(text, statusUrl).finally(() => inFlight.delete(id));
    },
    query(id) {
      const known = journal.get(id);
      if (known?.state === 'sent') return { status: 200, json: { id: known.providerId } };
      if (known?.state !== 'handed_over') return { status: 404 };
      // After a kill or a timeout the provider may have it. 405 makes the outcome unknown, so that the text is not sent twice.
      return inFlight.has(id) ? { status: 503, retryAfterS: 5 } : { status: 405 };
    },
    async report(id, call) {
      if (!provider.isSigned(call)) return { status: 403 };
      const known = journal.get(id);
      if (known === undefined) return { status: 404 };
      const { providerId, ...outcome } = provider.readReport(call);
      // A report proves that the provider has the message, even after a timeout or a kill.
      if (known.state !== 'sent') journal.add({ id, statusUrl: known.statusUrl, state: 'sent', providerId });
      const response = await callForeword(known.statusUrl, id, { id: providerId, ...outcome });
      // The provider repeats a report that is not confirmed. Repeating does not help with a message that Foreword does not have.
      return { status: response !== null && (response.ok || response.status === 404) ? 200 : 503 };
    },
    async reply(call) {
      if (!provider.isSigned(call)) return { status: 403 };
      const reply = provider.readReply(call);
      const { id, from, body } = reply;
      const response = await callForeword(`${forewordUrl}/carriers/http/inbound`, `reply_${id || Date.now()}`, {
        from,
        body,
        ...(id !== '' && { id }),
      });
      if (response === null || !response.ok) return { status: 503 };
      const { reply: text } = (await response.json()) as { reply: string | null };
      return { status: 200, content: provider.answer(reply, text) };
    },
  };
}
