import { join } from 'node:path';
import { outputOf } from './children.ts';
import type { Service } from './service.ts';

const COMMAND = join(import.meta.dirname, '../packages/server/bin/foreword.mjs');
const SCRIPT = 'Hi Dana, this is Ana from Acme Roofing. I will be at your house on Tuesday. See you then.';

/** A service with an organization in it, and what opens its API. */
export interface Tenancy {
  readonly service: Service;
  readonly dataDir: string;
  readonly key: string;
}

let asked = 0;

/** An intro of the API, to be recorded by the member that `prepareDataDir` made. */
export async function askIntro({ service, key }: Tenancy): Promise<string> {
  const answer = await fetch(`${service.url}/v1/intros`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `bench:intro:${++asked}`,
    },
    body: JSON.stringify({
      member: { external_id: 'rep_17' },
      recipient: { first_name: 'Dana', phone: '+14155550123' },
      instructions: { script: SCRIPT },
    }),
  });
  if (answer.status !== 201) throw new Error(`an intro was answered with ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id;
}

/** The member's link, as the operator can print it, at the address of this service. */
export async function linkOf({ service, dataDir }: Tenancy, id: string): Promise<string> {
  const shown = await outputOf(process.execPath, [COMMAND, 'intro', 'link', id, '--json'], { DATA_DIR: dataDir });
  return service.url + new URL((JSON.parse(shown) as { url: string }).url).pathname;
}
