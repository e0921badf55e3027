import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { SMTPServer } from 'smtp-server';
import { systemClock } from '../packages/server/src/platform/clock.ts';
import { createSampleCompany, type SampleCompany } from '../packages/server/test/browser/console-sample-data.ts';
import type { Viewer } from '../packages/server/test/browser/console-screen.ts';
import { type Api, createApi } from '../packages/server/test/harness/api.ts';
import { atEnd, makeFolder, outputOf } from './children.ts';
import { connectToDatabase, startService } from './service.ts';

const COMMAND = path.join(import.meta.dirname, '../packages/server/bin/foreword.mjs');
/** The time zone of the sample company. */
export const SAMPLE_ZONE = 'America/Chicago';

/** A service with a company that has weeks of activity, and an empty one. */
export interface SampleService {
  readonly url: string;
  readonly dataDir: string;
  readonly api: Api;
  readonly company: SampleCompany;
  /** Runs the `foreword` command. */
  run(...args: string[]): Promise<Output>;
  query(text: string, values?: unknown[]): Promise<unknown>;
  /** Null for a viewer who does not sign in. */
  createSignInLink(viewer: Viewer): Promise<string | null>;
}

// biome-ignore lint/suspicious/noExplicitAny: the command's output is read without types.
type Output = any;

async function startReceiver(): Promise<string> {
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => response.end('{"received":true}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/foreword`;
}

/** Accepts and discards every email. */
async function startMailServer(): Promise<Record<string, string>> {
  const server = new SMTPServer({
    authOptional: true,
    onData: (stream, _session, done) => void stream.resume().on('end', () => done()),
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => new Promise((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return { SMTP_URL: `smtp://127.0.0.1:${port}/?ignoreTLS=true`, MAIL_FROM: 'intros@acme.example' };
}

export async function startSampleService(): Promise<SampleService> {
  const dataDir = makeFolder();
  const run = async (...args: string[]): Promise<Output> =>
    JSON.parse(await outputOf(process.execPath, [COMMAND, ...args, '--json'], { DATA_DIR: dataDir }));
  const createOrganization = async (name: string, role: string, ...options: string[]): Promise<string> => {
    const common = ['--industry', 'exterior_remodeling', '--timezone', SAMPLE_ZONE];
    const { id } = await run('org', 'create', '--name', name, ...common, ...options);
    const ana = ['--first-name', 'Ana', '--last-name', 'Ng', '--email', 'ana@acme.example', '--external-id', 'rep_17'];
    await run('member', 'create', '--org', id, ...ana, '--role', role);
    return id;
  };
  const sampleOrg = await createOrganization('Acme Exteriors', 'member', '--lane', 'retail', '--lane', 'insurance');
  const emptyOrg = await createOrganization('New Roofing', 'owner');
  await run('org', 'set', sampleOrg, '--office-phone', '+13125550100', '--license', 'IL 104.018842');
  const { key } = await run('key', 'create', '--org', sampleOrg, '--name', 'Acme CRM');
  const { url } = await startService({
    dataDir,
    environment: { ...(await startMailServer()), WEBHOOKS_ALLOW_PRIVATE: 'on' },
  });
  const database = await connectToDatabase(dataDir);
  atEnd(() => database.end());
  const query = async (text: string, values: unknown[] = []) => (await database.query(text, values)).rows;
  const api = createApi(url, key);
  const company = await createSampleCompany({
    organizationId: sampleOrg,
    receiverUrl: await startReceiver(),
    now: systemClock(),
    api,
    run,
    query,
  });
  const people: Partial<Record<Viewer, [org: string, email: string]>> = {
    owner: [sampleOrg, 'olive@acme.example'],
    manager: [sampleOrg, 'ben@acme.example'],
    member: [sampleOrg, 'ana@acme.example'],
    emptyOwner: [emptyOrg, 'ana@acme.example'],
  };
  return {
    ...{ url, dataDir, api, company, run, query },
    async createSignInLink(viewer) {
      const [org, email] = people[viewer] ?? [];
      if (org === undefined || email === undefined) return null;
      return (await run('signin', '--org', org, '--email', email)).url;
    },
  };
}
