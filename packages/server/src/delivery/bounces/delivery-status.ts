import { addressesIn, type BounceReport, tokensIn } from './report.ts';

/** Delivery status notifications: RFC 3464 within RFC 6522, as mail servers send them to the envelope sender. */

interface Part {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Fields by name in lower case; the first one of each. */
function readFields(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const at = line.indexOf(':');
    const name = line.slice(0, at).trim().toLowerCase();
    if (at > 0 && !fields.has(name)) fields.set(name, line.slice(at + 1).trim());
  }
  return fields;
}

function readPart(text: string): Part {
  const end = /\r?\n\r?\n/.exec(text);
  if (end === null) return { headers: readFields(text), body: '' };
  return { headers: readFields(text.slice(0, end.index)), body: text.slice(end.index + end[0].length) };
}

const typeOf = ({ headers }: Part): string => (headers.get('content-type') ?? '').toLowerCase();

function partsOf(message: Part): Part[] {
  const boundary = /boundary="?([^";]{1,200})"?/i.exec(message.headers.get('content-type') ?? '')?.[1];
  if (boundary === undefined) return [];
  return message.body
    .split(`--${boundary}`)
    .slice(1)
    .map((text) => readPart(text.replace(/^\r?\n/, '')));
}

/** RFC 3461 writes some characters of an original recipient as `+2B`. */
const decodeXText = (text: string): string =>
  text.replaceAll(/\+([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const withoutType = (field: string): string => field.slice(field.indexOf(';') + 1).trim();

/** The recipients that failed for good; empty if the email is no such report, or only a warning about a delay. */
export function readDeliveryStatus(raw: string): BounceReport[] {
  const message = readPart(raw);
  const parts = partsOf(message);
  const status = parts.find((part) => typeOf(part).startsWith('message/delivery-status'));
  if (status === undefined) return [];
  const returned = parts.find((part) => /^(message\/rfc822|text\/rfc822-headers|message\/global)/.test(typeOf(part)));
  const original = readFields(returned?.body.split(/\r?\n\r?\n/)[0] ?? '');
  const [general = new Map<string, string>(), ...recipients] = status.body
    .split(/\r?\n\r?\n/)
    .filter((group) => group.trim() !== '')
    .map(readFields);
  const tokens = [general.get('original-envelope-id'), original.get('message-id')].flatMap((id) => tokensIn(id ?? ''));
  return recipients.flatMap((recipient): BounceReport[] => {
    if (recipient.get('action')?.toLowerCase() !== 'failed') return [];
    const given = withoutType(recipient.get('original-recipient') ?? '');
    const named = [
      given,
      decodeXText(given),
      withoutType(recipient.get('final-recipient') ?? ''),
      original.get('to') ?? '',
    ];
    const diagnostic = recipient.get('diagnostic-code');
    return [
      {
        tokens,
        addresses: named.flatMap(addressesIn),
        code: /\d\.\d{1,3}\.\d{1,3}/.exec(recipient.get('status') ?? '')?.[0] ?? null,
        reason: diagnostic === undefined ? null : withoutType(diagnostic),
      },
    ];
  });
}
