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

/** Turns the browser's error into a failure, which pages show like those of the server. */
function failureOf(error: unknown): ApiFailure {
  const { name } = error instanceof Error ? error : { name: '' };
  // Browsers do not reveal whether the user cancelled, or no passkey fits.
  const isCancelled = name === 'NotAllowedError' || name === 'AbortError';
  const isKnown = error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED';
  const browser = isCancelled ? PASSKEYS.canceled : name === 'SecurityError' ? PASSKEYS.wrongAddress : PASSKEYS.failed;
  return new ApiFailure({
    status: 0,
    code: 'passkey',
    message: isKnown ? 'This device already has one of your passkeys.' : browser,
  });
}

const rejectWithFailure = (error: unknown): Promise<never> => Promise.reject(failureOf(error));

/** Asks the browser to create a passkey. */
export const createPasskey = (options: Options) =>
  startRegistration({
    optionsJSON: options as unknown as Parameters<typeof startRegistration>[0]['optionsJSON'],
  }).catch(rejectWithFailure);

/** Asks the browser to use a passkey. */
export const requestPasskey = (options: Options) =>
  startAuthentication({
    optionsJSON: options as unknown as Parameters<typeof startAuthentication>[0]['optionsJSON'],
  }).catch(rejectWithFailure);
