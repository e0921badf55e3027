import { type Api, createApi } from './api.ts';
import { foreword } from './cli.ts';

export interface TestOrganization {
  readonly id: string;
  readonly key: string;
  readonly keyId: string;
  readonly memberId: string;
  readonly api: Api;
}

/** An organization with one member (external id rep_17, ana@acme.example) and a key, created like an operator would. */
export async function createTestOrganization(
  environment: Record<string, string>,
  url: string,
  options: { industry?: 'exterior_remodeling' | 'real_estate'; name?: string; lanes?: string[] } = {},
): Promise<TestOrganization> {
  const { industry = 'exterior_remodeling', name = 'Acme Roofing', lanes = [] } = options;
  const run = (...args: string[]) => foreword(environment, ...args);
  const laneArgs = lanes.flatMap((lane) => ['--lane', lane]);
  const { id } = await run(
    'org',
    'create',
    '--name',
    name,
    '--industry',
    industry,
    '--timezone',
    'America/Chicago',
    ...laneArgs,
  );
  const member = ['--first-name', 'Ana', '--last-name', 'Ng', '--email', 'ana@acme.example', '--external-id', 'rep_17'];
  const { id: memberId } = await run('member', 'create', '--org', id, ...member);
  const { key, id: keyId } = await run('key', 'create', '--org', id, '--name', 'Tests');
  return { id, key, keyId, memberId, api: createApi(url, key) };
}
