import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser';
import { ApiFailure } from './api.ts';
import { PASSKEYS } from './pages/settings/passkeys-texts.ts';

export const supportsPasskeys = browserSupportsWebAuthn;

/** The server writes them, and the browser checks them. */
type Options = Readonly<Record<string, unknown>>;

/** The message for the user when the browser or the server refused. */
export function describePasskeyProblem(error: unknown): string {
  if (error instanceof ApiFailure) return error.message;
  if (error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') {
    return PASSKEYS.alreadyAdded;
  }
  const { name } = error instanceof Error ? error : { name: '' };
  if (name === 'SecurityError') return PASSKEYS.wrongAddress;
  // Browsers do not reveal whether the user cancelled, or no passkey fits.
  if (name === 'NotAllowedError' || name === 'AbortError') return PASSKEYS.canceled;
  return PASSKEYS.failed;
}

/** Asks the browser to create a passkey. */
export const createPasskey = async (options: Options) =>
  startRegistration({ optionsJSON: options as unknown as Parameters<typeof startRegistration>[0]['optionsJSON'] });

/** Asks the browser to use a passkey. */
export const requestPasskey = async (options: Options) =>
  startAuthentication({ optionsJSON: options as unknown as Parameters<typeof startAuthentication>[0]['optionsJSON'] });
