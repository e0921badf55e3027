import { ApiFailure, call, isSignedOut } from '../api.ts';
import { showToast } from '../parts/toasts.tsx';
import { FAILURE } from '../texts.ts';

/** Leaves the console. False if the server could not be reached. */
export async function signOut(): Promise<boolean> {
  try {
    await call('POST /session/sign-out').catch((error: unknown) => {
      if (!isSignedOut(error)) throw error;
    });
    window.location.assign('/console/signin');
    return true;
  } catch (error) {
    showToast({ kind: 'bad', text: error instanceof ApiFailure ? error.message : FAILURE.unknown });
    return false;
  }
}
