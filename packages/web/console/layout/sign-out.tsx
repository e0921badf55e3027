import { useState } from 'react';
import { call } from '../api.ts';
import { ApiFailure, isSignedOut } from '../failure.ts';
import { Icon } from '../parts/icon.tsx';
import { showToast } from '../parts/toast-store.ts';
import { FAILURE, FRAME } from '../texts/common.ts';

export function SignOut() {
  const [busy, setBusy] = useState(false);
  async function signOut(): Promise<void> {
    setBusy(true);
    try {
      await call('POST /session/sign-out').catch((error: unknown) => {
        if (!isSignedOut(error)) throw error;
      });
      window.location.assign('/console/signin');
    } catch (error) {
      setBusy(false);
      showToast({ kind: 'bad', text: error instanceof ApiFailure ? error.message : FAILURE.unknown });
    }
  }
  return (
    <button type="button" className="nav-item" aria-disabled={busy} onClick={() => busy || void signOut()}>
      <Icon name="leave" />
      {busy ? FRAME.signingOut : FRAME.signOut}
    </button>
  );
}
