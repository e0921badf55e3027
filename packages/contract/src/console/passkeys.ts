import { Name } from '../fields.ts';
import type { NamedMember } from '../members.ts';
import { ClosedObject, type Static, Type } from '../schema.ts';
import { define, json, response } from './operation.ts';

/** Browsers may add fields. */
const open = { additionalProperties: true } as const;

const Base64Url = Type.String({ maxLength: 20_000, pattern: '^[A-Za-z0-9_-]*$', 'x-problem': 'must be base64url' });

/** The response of the browser's authenticator, as JSON (WebAuthn Level 3). The server verifies every part of it. */
export const PasskeyResponse = Type.Object(
  {
    id: Base64Url,
    rawId: Base64Url,
    type: Type.Literal('public-key', { 'x-problem': 'must be public-key' }),
    response: Type.Object({ clientDataJSON: Base64Url }, open),
    clientExtensionResults: Type.Object({}, open),
  },
  open,
);
export type PasskeyResponse = Static<typeof PasskeyResponse>;

const PasskeyName = Name('To recognize the passkey, such as the device that holds it.', 'Work laptop');

export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

export interface OwnPasskeys {
  readonly passkeys: readonly Passkey[];
  /** Why passkeys cannot be used at the service's address. Null: they can. */
  readonly unavailable_because: string | null;
  /** Whether the member has to sign in again before adding the first one, because the sign-in is not recent. */
  readonly needs_sign_in: boolean;
  /** The browser and operating system, as far as known. */
  readonly suggested_name: string;
}

/** Who needs a passkey. */
export interface SecondFactor {
  /** From when owners and managers need one. Null: they do not. */
  readonly required_from: string | null;
  /** Owners and managers who have none. */
  readonly missing: readonly NamedMember[];
}

/** The step before the console opens: use a passkey, or add the first one. */
export interface PendingSignIn {
  readonly step: 'use_passkey' | 'add_passkey';
  readonly email: string;
  readonly organization: string;
  readonly suggested_name: string;
  readonly unavailable_because: string | null;
  /** The page to open afterwards. */
  readonly next: string;
}

export const NewPasskey = ClosedObject({ name: PasskeyName, response: PasskeyResponse });
export const UsedPasskey = ClosedObject({ response: PasskeyResponse });

export const PASSKEY_OPERATIONS = define({
  listPasskeys: { route: 'GET /passkeys', role: 'member', success: response<OwnPasskeys>() },
  /** The options for the browser's authenticator. */
  startPasskey: {
    route: 'POST /passkeys/options',
    role: 'member',
    success: response<Readonly<Record<string, unknown>>>(),
  },
  addPasskey: {
    route: 'POST /passkeys',
    role: 'member',
    body: json(NewPasskey.properties),
    success: response<Passkey>(),
  },
  renamePasskey: {
    route: 'POST /passkeys/{id}',
    role: 'member',
    body: json({ name: PasskeyName }),
    success: response<Passkey>(),
  },
  removePasskey: { route: 'DELETE /passkeys/{id}', role: 'member', success: response<{ removed: true }>() },
  readSecondFactor: { route: 'GET /second-factor', role: 'owner', success: response<SecondFactor>() },
  changeSecondFactor: {
    route: 'POST /second-factor',
    role: 'owner',
    body: json({ required: Type.Boolean({ 'x-problem': 'must be true or false' }) }),
    success: response<SecondFactor>(),
  },
  countPasskeys: { route: 'GET /members/{id}/passkeys', role: 'owner', success: response<{ count: number }>() },
  /** For a member who lost them. Ends the member's sessions. */
  resetPasskeys: { route: 'DELETE /members/{id}/passkeys', role: 'owner', success: response<{ removed: number }>() },
});
