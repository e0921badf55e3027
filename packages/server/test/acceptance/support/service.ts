import { expect } from 'vitest';
import {
  type ServiceFixture as AnyServiceFixture,
  openService as openAnyService,
  startCluster,
  startService,
} from '../../harness/index.ts';
import { type Published, readPublished } from './published.ts';

/** The service of a test file. Every response is checked against the published OpenAPI document. */
export interface ServiceFixture extends AnyServiceFixture {
  readonly published: Published;
}

/** Personal data in the requests of this suite. None of it may appear in a log, and neither may a key. */
const PERSONAL = [
  /\+1(?:415|500)555\d{4}/,
  /@acme\.example/i,
  /\bDana\b/,
  /\bReyes\b/,
  /\bAna\b/,
  /fw_test_[0-9A-Za-z]{30}/,
];

export function expectDiscreet(output: string): void {
  for (const pattern of PERSONAL) expect(output).not.toMatch(pattern);
}

const SEVERAL_NODES = process.env.FOREWORD_TEST_NODES === '2';

export async function openService(settings: Record<string, string> = {}): Promise<ServiceFixture> {
  // The same guarantees hold for a service of several processes; a test that picks a role keeps its single process.
  const start = SEVERAL_NODES && settings.FOREWORD_ROLE === undefined ? startCluster : startService;
  let published: Published | undefined;
  const fixture = await openAnyService(settings, {
    start,
    async wrapApi(api, { url }) {
      published ??= await readPublished(url);
      return published.checked(api);
    },
  });
  if (published === undefined) throw new Error('the service published no OpenAPI document');
  const nodes = [fixture.service];
  return {
    ...fixture,
    published,
    async newNode(extra) {
      const node = await fixture.newNode(extra);
      nodes.push(node);
      return node;
    },
    async close() {
      await fixture.close();
      for (const node of nodes) expectDiscreet(node.output());
    },
  };
}
