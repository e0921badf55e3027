import { AddressRefusedError } from './names.ts';

/** Why a request failed, by the step at which it failed. */
export interface Fault {
  readonly step: 'address' | 'name' | 'connection' | 'certificate' | 'timeout' | 'response' | 'stopped';
  /** For the customer who configured the URL. */
  readonly message: string;
}

export class TimeoutFault extends Error {}
export class TooLargeFault extends Error {}

const NAME_CODES = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'ETIMEOUT', 'EAI_AGAIN', 'EBADNAME', 'EREFUSED']);
const RESPONSE_CODES = new Set(['UND_ERR_SOCKET', 'UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);
const STOPPED_CODES = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);
const CONNECTION_MESSAGES: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  EHOSTUNREACH: 'The host is unreachable.',
  ENETUNREACH: 'The network is unreachable.',
  ETIMEDOUT: 'The connection timed out.',
  UND_ERR_CONNECT_TIMEOUT: 'The connection timed out.',
};

const isCertificate = (code: string): boolean => /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code);

/** A host with several addresses fails with one error for each. */
const firstOf = (error: Error): Error => {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first : error;
};

/** Uses our own messages, because those of libraries reveal resolved IP addresses. */
export function faultOf(error: Error): Fault {
  if (error instanceof TimeoutFault) return { step: 'timeout', message: 'The response did not arrive in time.' };
  if (error instanceof AddressRefusedError) return { step: 'address', message: error.message };
  const { code = '' } = firstOf(error) as Error & { code?: string };
  if (NAME_CODES.has(code)) return { step: 'name', message: `The host name could not be resolved (${code}).` };
  if (isCertificate(code)) return { step: 'certificate', message: `The certificate is not valid (${code}).` };
  if (STOPPED_CODES.has(code)) return { step: 'stopped', message: 'The attempt was stopped.' };
  if (
    RESPONSE_CODES.has(code) ||
    code.startsWith('HPE_') ||
    error.name === 'HTTPParserError' ||
    code === 'ECONNRESET' ||
    code === 'EPIPE'
  ) {
    return { step: 'response', message: 'The connection closed before the full HTTP response arrived.' };
  }
  const known = CONNECTION_MESSAGES[code];
  return { step: 'connection', message: known ?? `The connection failed${code === '' ? '' : ` (${code})`}.` };
}
