import type { SealedColumn } from '../db/key-rotation.ts';
import type { Database, Row } from '../db/tenancy.ts';
import { listSecretResponses, replaceResponse } from '../http/idempotency/index.ts';
import { isSealedWith, randomSecret, rowSealWith, type Seal, sealWith } from '../platform/seal.ts';
import type { DerivedKey, ServerKey } from '../platform/server-key.ts';
import { SECRET_PREFIX } from '../platform/standard-webhooks.ts';

// Standard Webhooks requires 24 to 64.
const SECRET_BYTES = 32;

export const createSecret = (): string => SECRET_PREFIX + randomSecret(SECRET_BYTES).toString('base64');

type Sealed = Pick<
  Row<'webhook_endpoints'>,
  'organization_id' | 'id' | 'secret' | 'previous_secret' | 'previous_secret_expires_at'
>;

/** Derives a key that seals nothing else. */
export const SEAL_PURPOSE = 'webhook secrets';

type Place = Pick<Row<'webhook_endpoints'>, 'organization_id' | 'id'>;

const secretPlace = ({ organization_id, id }: Place): string => `${organization_id}/${id}`;

export const sealSecret = (seal: Seal, place: Place, secret: string): Buffer => seal.close(secret, secretPlace(place));

/** For an endpoint whose secret can no longer be read. */
export const newSealedSecret = (seal: Seal, place: Place): Buffer => sealSecret(seal, place, createSecret());

/** The secrets to sign with: the current one and, during a rotation, the previous one. */
export function openSecrets(seal: Seal, row: Sealed, now: Date): string[] {
  const { secret, previous_secret: previous, previous_secret_expires_at: until } = row;
  const isRotating = previous !== null && until !== null && until > now;
  return (isRotating ? [secret, previous] : [secret]).map((sealed) => seal.open(sealed, secretPlace(row)));
}

/** The response of a request that returned a secret, as stored for its Idempotency-Key. */
interface WithSecret {
  readonly id: string;
  readonly secret: string;
}

const placeOf = (organizationId: string, { id }: WithSecret): Place => ({ organization_id: organizationId, id });

export const sealResponse = <T extends WithSecret>(seal: Seal, organizationId: string, response: T): T => ({
  ...response,
  secret: sealSecret(seal, placeOf(organizationId, response), response.secret).toString('base64'),
});

export const openResponse = <T extends WithSecret>(seal: Seal, organizationId: string, stored: T): T => ({
  ...stored,
  secret: seal.open(Buffer.from(stored.secret, 'base64'), secretPlace(placeOf(organizationId, stored))),
});

/** The same response with its secret encrypted with the current key; null if it is already. */
function renewResponse(seal: Seal, current: DerivedKey, organizationId: string, body: string): string | null {
  const stored = JSON.parse(body) as WithSecret;
  if (isSealedWith(current, Buffer.from(stored.secret, 'base64'))) return null;
  return JSON.stringify(sealResponse(seal, organizationId, openResponse(seal, organizationId, stored)));
}

type PayloadRow = Pick<Row<'webhook_messages'>, 'organization_id' | 'id' | 'sealed_payload'>;
type AnswerRow = Pick<Row<'webhook_attempts'>, 'organization_id' | 'id' | 'sealed_answer'>;
type MessagePlace = Pick<PayloadRow, 'organization_id' | 'id'>;

const contentPlace = (kind: 'payload' | 'answer', { organization_id, id }: MessagePlace): string =>
  `${kind} ${organization_id}/${id}`;

/** Derives a key that encrypts nothing else. */
const CONTENTS_PURPOSE = 'webhook contents';

/**
 * Encrypts payloads, which contain links, and responses, which may repeat them. Not marks as in messages: a payload must stay
 * the same to the byte, and a response can contain a link in any encoding.
 */
export function createContentSeal(key: ServerKey) {
  const seal = rowSealWith(key, CONTENTS_PURPOSE);
  return {
    sealPayload: (place: MessagePlace, payload: string): Buffer => seal.close(payload, contentPlace('payload', place)),
    openPayload: (row: PayloadRow): string => seal.open(row.sealed_payload, contentPlace('payload', row)),
    sealAnswer: (place: MessagePlace, answer: string | null): Buffer | null =>
      answer === null ? null : seal.close(answer, contentPlace('answer', place)),
    openAnswer: (row: AnswerRow): string | null =>
      row.sealed_answer === null ? null : seal.open(row.sealed_answer, contentPlace('answer', row)),
  };
}

export type ContentSeal = ReturnType<typeof createContentSeal>;

/** The encrypted columns of this module. */
export function webhookColumns(key: ServerKey): SealedColumn[] {
  const endpoints = {
    table: 'webhook_endpoints',
    key: ['organization_id', 'id'],
    seal: sealWith(key, SEAL_PURPOSE),
    placeOf: ({ organization_id = '', id = '' }: Readonly<Record<string, string>>) =>
      secretPlace({ organization_id, id }),
  };
  const contents = rowSealWith(key, CONTENTS_PURPOSE);
  return [
    { ...endpoints, column: 'secret' },
    { ...endpoints, column: 'previous_secret' },
    {
      table: 'webhook_messages',
      column: 'sealed_payload',
      key: ['organization_id', 'id'],
      seal: contents,
      placeOf: ({ organization_id = '', id = '' }) => contentPlace('payload', { organization_id, id }),
    },
    {
      table: 'webhook_attempts',
      column: 'sealed_answer',
      key: ['organization_id', 'endpoint_id', 'id'],
      seal: contents,
      placeOf: ({ organization_id = '', id = '' }) => contentPlace('answer', { organization_id, id }),
    },
  ];
}

/** Responses for an Idempotency-Key contain the secrets of endpoints that were created or rotated. */
export async function reencryptResponses(db: Database, key: ServerKey): Promise<number> {
  const seal: Seal = sealWith(key, SEAL_PURPOSE);
  const current = key.current(SEAL_PURPOSE);
  let renewed = 0;
  for (const row of await listSecretResponses(db.kysely)) {
    const response = renewResponse(seal, current, row.organization_id, row.response);
    if (response === null) continue;
    await replaceResponse(db.kysely, row, response);
    renewed += 1;
  }
  return renewed;
}
