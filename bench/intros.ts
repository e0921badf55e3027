import { join } from 'node:path';
import { outputOf } from './children.ts';
import type { Service } from './service.ts';

const COMMAND = join(import.meta.dirname, '../packages/server/bin/foreword.mjs');
const SCRIPT = 'Hi Dana, this is Ana from Acme Roofing. I will be at your house on Tuesday. See you then.';

/** A service with one organization and its API key. */
export interface Target {
  readonly service: Service;
  readonly dataDir: string;
  readonly key: string;
}

let requested = 0;

/** Requests an intro from the member that `prepareDataDir` created. */
export async function requestIntro({ service, key }: Target): Promise<string> {
  const response = await fetch(`${service.url}/v1/intros`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `bench:intro:${++requested}`,
    },
    body: JSON.stringify({
      member: { external_id: 'rep_17' },
      recipient: { first_name: 'Dana', phone: '+14155550123' },
      instructions: { script: SCRIPT },
    }),
  });
  if (response.status !== 201)
    throw new Error(`creating an intro returned ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { id: string }).id;
}

/** The member's link to the intro, on this service. */
export async function readMemberLink({ service, dataDir }: Target, id: string): Promise<string> {
  const shown = await outputOf(process.execPath, [COMMAND, 'intro', 'link', id, '--json'], { DATA_DIR: dataDir });
  return service.url + new URL((JSON.parse(shown) as { url: string }).url).pathname;
}
