import { hmac } from '../../platform/hmac.ts';
import type { ServerKey } from '../../platform/server-key.ts';
import type { ServedHost } from './store.ts';

const PURPOSE = 'reach of a link domain';

export const NONCE = /^[0-9A-Za-z]{22}$/;
export const NONCE_LENGTH = 22;

/** The answer to a request for the host. Only this installation can give it, so it proves where the domain leads. */
export const answerTo = (key: ServerKey, { id, host }: Pick<ServedHost, 'id' | 'host'>, nonce: string): string =>
  hmac(key.at(PURPOSE, id), `${nonce}\n${host}`).toString('base64url');
