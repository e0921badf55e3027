/** Signing in, with the second factor. */

import type { PendingSignIn } from '@foreword/contract';
import { useEffect, useRef, useState } from 'react';
import { ApiFailure, networkFailure, readFailure } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Notice } from '../../parts/display.tsx';
import { createPasskey, requestPasskey, supportsPasskeys } from '../../passkeys.ts';
import { PASSKEYS, PASSKEY_SIGN_IN as TEXTS } from '../settings/passkeys-texts.ts';

const PATH = '/console/signin/passkey';

async function post(path: string, body: object = {}): Promise<Record<string, unknown>> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(PATH + path, init).catch(() => {
    throw networkFailure();
  });
  if (!response.ok) throw await readFailure(response);
  return (await response.json()) as Record<string, unknown>;
}

const confirmSignIn = async (): Promise<unknown> =>
  post('/use', { response: await requestPasskey(await post('/options')) });

const addFirst = async (name: string): Promise<unknown> =>
  post('/add', { name, response: await createPasskey(await post('/add/options')) });

/** The last step of signing in, outside of the console. */
export function PasskeySignIn({ pending }: { pending: PendingSignIn }) {
  const { step, email, organization, suggested_name: name, next } = pending;
  const [state, setState] = useState<'ready' | 'busy' | 'done'>('ready');
  const [problem, setProblem] = useState<string | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const isUse = step === 'use_passkey';
  const obstacle = pending.unavailable_because ?? (supportsPasskeys() ? null : PASSKEYS.unsupported);

  async function start() {
    setState('busy');
    setProblem(null);
    try {
      await (isUse ? confirmSignIn() : addFirst(name));
      setState('done');
      window.location.replace(next);
    } catch (error) {
      setProblem(error instanceof ApiFailure ? error.message : PASSKEYS.failed);
      setState('ready');
    }
  }

  return (
    <main className="sign-in-page">
      <div className="sign-in-card stack">
        <h1 ref={heading} tabIndex={-1}>
          {isUse ? 'Use your passkey' : 'Add a passkey'}
        </h1>
        <p>{isUse ? `Confirm that it’s you, ${email}.` : TEXTS.addLead(organization)}</p>
        {obstacle !== null && <Notice tone="warn">{obstacle}</Notice>}
        {problem !== null && (
          <Notice tone="bad" live>
            {problem}
          </Notice>
        )}
        <p role="status" className={state === 'done' ? undefined : 'sr'}>
          {state === 'done' && 'You’re signed in. Opening the console…'}
        </p>
        {obstacle === null && state !== 'done' && (
          <Button
            icon="key"
            busy={state === 'busy'}
            onClick={() => void start()}
            label={isUse ? 'Use passkey' : 'Add passkey'}
          />
        )}
        {isUse && (
          <details>
            <summary>Lost your passkey?</summary>
            <p>{TEXTS.lost}</p>
          </details>
        )}
        <form method="post" action={`${PATH}/leave`}>
          <Button type="submit" kind="plain" label="Use another account" />
        </form>
      </div>
    </main>
  );
}
