import path from 'node:path';
import { type Api, createApi, createTestOrganization, nextKey, type Service, startService } from '../harness/index.ts';

/** A service with its own folder, like an operator's: no variable but DATA_DIR says where anything is. */
export interface Installation {
  readonly folder: string;
  readonly environment: Record<string, string>;
}

export function newInstallation(parent: string, name: string, settings: Record<string, string> = {}): Installation {
  const folder = path.join(parent, name);
  const environment = {
    DATA_DIR: folder,
    // Empty counts as unset.
    SERVER_KEY: '',
    OBJECTS_URL: '',
    FOREWORD_DEMO: 'off',
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'warn',
    ...settings,
  };
  return { folder, environment };
}

export interface Source extends Installation {
  readonly service: Service;
  readonly key: string;
  readonly api: Api;
}

export async function startSource(parent: string, settings: Record<string, string> = {}): Promise<Source> {
  const installation = newInstallation(parent, 'source', settings);
  const service = await startService(installation.environment);
  const { key } = await createTestOrganization(installation.environment, service.url);
  return { ...installation, service, key, api: createApi(service.url, key) };
}

export async function createIntro(api: Api): Promise<string> {
  const body = { member: { external_id: 'rep_17' }, recipient: { first_name: 'Dana', phone: '+15005550123' } };
  return (await api.post('/v1/intros', body, { key: nextKey() })).body.id;
}

/** Creates an intro with a take; returns before the take is encoded. */
export async function recordIntro(api: Api): Promise<string> {
  const id = await createIntro(api);
  await api.post(`/v1/test_helpers/intros/${id}/record`, {}, { key: nextKey() });
  return id;
}
