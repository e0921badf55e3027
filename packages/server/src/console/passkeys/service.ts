import type { PasskeyResponse } from '@foreword/contract';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { columnsOf, type Tx } from '../../db/tenancy.ts';
import { ApiError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { randomSecret, sha256 } from '../../platform/seal.ts';
import { recordChange } from '../../privacy/audit/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import { createSecret, type SignedIn } from '../sessions/service.ts';
import { CHALLENGE_LIFE_MS, MAX_PASSKEYS, type RelyingParty, relyingPartyOf } from './rules.ts';
import {
  completeSession,
  confirmSession,
  insertPasskey,
  listPasskeys,
  lockPasskeys,
  type PasskeyRow,
  type Purpose,
  recordPasskeyUse,
  setChallenge,
  takeChallenge,
} from './store.ts';

// Only console sign-ins need the library, and loading it takes as long as the rest of a small module tree.
const loadWebAuthn = () => import('@simplewebauthn/server');

const CHALLENGE_BYTES = 32;
const SITE_NAME = 'Foreword';
const UNAVAILABLE = 'Passkeys need an address with a host name and https. Ask your administrator to set PUBLIC_URL.';

/** The session that adds or uses a passkey. */
type PasskeyUser = Pick<SignedIn, 'tenant' | 'memberId' | 'sessionId' | 'row'>;

interface AddedPasskey {
  readonly name: string;
  readonly response: PasskeyResponse;
}

const tooLate = () => new ApiError('passkey_refused', 'This took too long, or was already used. Try again.');
const notAccepted = () =>
  new ApiError('passkey_refused', 'This passkey was not accepted. Try again, or use another one.');

const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const toDescriptor = ({ credential_id: id, transports }: PasskeyRow) => ({ id: encode(id), transports });

/** Returns the new secret of the session. */
async function completeSignIn(tx: Tx, user: PasskeyUser, now: Date): Promise<string> {
  const secret = createSecret();
  if (!(await completeSession(tx, user, { hash: sha256(secret), now }))) throw tooLate();
  await recordChange(tx, user.tenant, { action: 'session.started', object: user.sessionId, by: user.memberId });
  return secret;
}

export type Passkeys = ReturnType<typeof createPasskeys>;

export function createPasskeys({ db, clock, log, publicUrl }: ConsoleDeps) {
  const site = relyingPartyOf(publicUrl);

  function requireSite(): RelyingParty {
    if (site !== null) return site;
    throw new ApiError('passkey_refused', UNAVAILABLE);
  }

  async function newChallenge(user: PasskeyUser, purpose: Purpose): Promise<Buffer> {
    const challenge = randomSecret(CHALLENGE_BYTES);
    const expiresAt = new Date(clock().getTime() + CHALLENGE_LIFE_MS);
    await setChallenge(db.kysely, user, { challenge, purpose, expiresAt });
    return challenge;
  }

  async function expectedOf(user: PasskeyUser, purpose: Purpose) {
    const { id: expectedRPID, origin: expectedOrigin } = requireSite();
    const challenge = await takeChallenge(db.kysely, user, purpose, clock());
    if (challenge === null) throw tooLate();
    // Verification by PIN or fingerprint is preferred: the email or company account is the other factor.
    return { expectedChallenge: encode(challenge), expectedOrigin, expectedRPID, requireUserVerification: false };
  }

  /** The library throws for every response that does not fit. */
  async function orRefuse<T extends { verified: boolean }>(user: PasskeyUser, work: Promise<T>): Promise<T> {
    const result = await work.catch((err: unknown) => {
      const { organizationId: organization } = user.tenant;
      log.info({ organization, member: user.memberId, reason: String(err) }, 'passkey was refused');
      throw notAccepted();
    });
    if (!result.verified) throw notAccepted();
    return result;
  }

  /** Verifies the new passkey and stores it, together with `within`. Returns its result, too. */
  async function store<Result>(
    user: PasskeyUser,
    { name, response }: AddedPasskey,
    within: (tx: Tx, now: Date) => Promise<Result>,
  ): Promise<{ row: PasskeyRow; result: Result }> {
    const expected = await expectedOf(user, 'add');
    const { verifyRegistrationResponse } = await loadWebAuthn();
    const verifying = verifyRegistrationResponse({ ...expected, response: response as RegistrationResponseJSON });
    const { registrationInfo } = await orRefuse(user, verifying);
    if (registrationInfo === undefined) throw notAccepted();
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    const now = clock();
    const row: PasskeyRow = {
      ...columnsOf(user.tenant),
      id: newId('pk', now),
      member_id: user.memberId,
      name,
      credential_id: Buffer.from(id, 'base64url'),
      public_key: Buffer.from(publicKey),
      counter: String(counter),
      transports: [...transports],
      created_at: now,
      last_used_at: null,
    };
    return db.kysely.transaction().execute(async (tx) => {
      await lockPasskeys(tx, user);
      const before = await listPasskeys(tx, user);
      if (before.length >= MAX_PASSKEYS)
        throw new ApiError('passkey_refused', `You have ${MAX_PASSKEYS} passkeys. Remove one first.`);
      if (before.some((other) => other.credential_id.equals(row.credential_id))) {
        throw new ApiError('passkey_refused', 'You have already added this passkey.');
      }
      await insertPasskey(tx, user.tenant, row);
      await recordChange(tx, user.tenant, { action: 'passkey.added', object: row.id, by: user.memberId });
      return { row, result: await within(tx, now) };
    });
  }

  return {
    /** Why browsers offer no passkeys at this address. Null: they do. */
    unavailableBecause: site === null ? UNAVAILABLE : null,
    /** The options that the browser passes to the authenticator. */
    async startAdding(user: PasskeyUser): Promise<object> {
      const { id: rpID } = requireSite();
      const { generateRegistrationOptions } = await loadWebAuthn();
      const { email, first_name: first, last_name: last, organization_name: organization } = user.row;
      return generateRegistrationOptions({
        rpName: SITE_NAME,
        rpID,
        // One person may be a member of several organizations, each with its own passkeys.
        userName: `${email} (${organization})`,
        userID: new Uint8Array(Buffer.from(user.memberId)),
        userDisplayName: `${first} ${last}`,
        challenge: new Uint8Array(await newChallenge(user, 'add')),
        timeout: CHALLENGE_LIFE_MS,
        excludeCredentials: (await listPasskeys(db.kysely, user)).map(toDescriptor),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      });
    },
    /** In a session that is signed in. */
    add: async (user: PasskeyUser, body: AddedPasskey): Promise<PasskeyRow> =>
      (await store(user, body, (tx, now) => confirmSession(tx, user, now))).row,
    /** Adds a passkey and completes the sign-in. Returns the new secret of the session. */
    addToSignIn: async (user: PasskeyUser, body: AddedPasskey): Promise<string> =>
      (await store(user, body, (tx, now) => completeSignIn(tx, user, now))).result,
    async startUsing(user: PasskeyUser): Promise<object> {
      const { id: rpID } = requireSite();
      const { generateAuthenticationOptions } = await loadWebAuthn();
      return generateAuthenticationOptions({
        rpID,
        challenge: new Uint8Array(await newChallenge(user, 'use')),
        timeout: CHALLENGE_LIFE_MS,
        allowCredentials: (await listPasskeys(db.kysely, user)).map(toDescriptor),
        userVerification: 'preferred',
      });
    },
    /** Completes the sign-in. Returns the new secret of the session. */
    async use(user: PasskeyUser, response: PasskeyResponse): Promise<string> {
      const expected = await expectedOf(user, 'use');
      const passkey = (await listPasskeys(db.kysely, user)).find((one) => encode(one.credential_id) === response.id);
      if (passkey === undefined) throw notAccepted();
      const { verifyAuthenticationResponse } = await loadWebAuthn();
      const credential = {
        ...toDescriptor(passkey),
        publicKey: new Uint8Array(passkey.public_key),
        counter: Number(passkey.counter),
      };
      const verifying = verifyAuthenticationResponse({
        ...{ ...expected, credential },
        response: response as AuthenticationResponseJSON,
      });
      const { authenticationInfo } = await orRefuse(user, verifying);
      return db.kysely.transaction().execute(async (tx) => {
        const now = clock();
        const use = { counter: authenticationInfo.newCounter, now };
        if (!(await recordPasskeyUse(tx, user.tenant, passkey, use))) throw notAccepted();
        return completeSignIn(tx, user, now);
      });
    },
  };
}
