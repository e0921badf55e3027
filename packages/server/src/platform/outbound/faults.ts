import { AddressRefusedError } from './names.ts';

/** What can go wrong between us and an answer, by the stage at which it did. */
export interface Fault {
  readonly stage: 'address' | 'name' | 'connection' | 'certificate' | 'timeout' | 'answer' | 'stopped';
  /** For the owner of the address. */
  readonly message: string;
}

export class TimeoutFault extends Error {}
export class TooLargeFault extends Error {}

const NAME_CODES = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'ETIMEOUT', 'EAI_AGAIN', 'EBADNAME', 'EREFUSED']);
const ANSWER_CODES = new Set(['UND_ERR_SOCKET', 'UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);
const STOPPED_CODES = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);
const CONNECTION_MESSAGES: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network cannot be reached.',
  ETIMEDOUT: 'No connection came about in time.',
  UND_ERR_CONNECT_TIMEOUT: 'No connection came about in time.',
};

const isCertificate = (code: string): boolean => /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code);

/** Several addresses fail with an error for each. */
const firstOf = (error: Error): Error => {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first : error;
};

/** The words are ours: messages of libraries name addresses that the owner of a name need not learn. */
export function faultOf(error: Error): Fault {
  if (error instanceof TimeoutFault) return { stage: 'timeout', message: 'No whole answer came in time.' };
  if (error instanceof AddressRefusedError) return { stage: 'address', message: error.message };
  const { code = '' } = firstOf(error) as Error & { code?: string };
  if (NAME_CODES.has(code)) return { stage: 'name', message: `The name cannot be resolved (${code}).` };
  if (isCertificate(code)) return { stage: 'certificate', message: `The certificate is not valid (${code}).` };
  if (STOPPED_CODES.has(code)) return { stage: 'stopped', message: 'The attempt was stopped.' };
  if (
    ANSWER_CODES.has(code) ||
    code.startsWith('HPE_') ||
    error.name === 'HTTPParserError' ||
    code === 'ECONNRESET' ||
    code === 'EPIPE'
  ) {
    return { stage: 'answer', message: 'The connection ended before a whole HTTP answer came.' };
  }
  const known = CONNECTION_MESSAGES[code];
  return { stage: 'connection', message: known ?? `The connection failed${code === '' ? '' : ` (${code})`}.` };
}
