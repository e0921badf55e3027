import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
import { createApi, runForeword, startService } from '../harness/index.ts';
import { makeDataDir } from './data-dir.ts';

const { dataDir, remove } = makeDataDir();
const environment = { DATA_DIR: dataDir };

afterAll(remove);

test('a first start on a port in use names the variable to set, and the next start still shows the demo key', async () => {
  const other = http.createServer((_request, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  await expect(startService({ ...environment, PORT: String(port) })).rejects.toThrow(
    `cannot listen on HOST 127.0.0.1, PORT ${port}: EADDRINUSE; set PORT to a free port`,
  );
  other.close();
  other.closeAllConnections();
  const service = await startService(environment);
  const output = await eventually(
    async () => service.output(),
    (written) => written.includes('/console/signin/'),
  );
  const [key = ''] = /fw_test_\w+/.exec(output) ?? [];
  expect((await createApi(service.url, key).get('/v1/touchpoints')).status).toBe(200);
  expect(await service.stop()).toBe(0);
});

test('a DATA_DIR that cannot be created ends service and command at once, with 78 and one line that names it', async () => {
  const impossible = { DATA_DIR: '/proc/nope' };
  await expect(startService(impossible)).rejects.toThrow('cannot create /proc/nope (DATA_DIR)');
  const outcome = await runForeword(impossible, 'org', 'list');
  expect(outcome).toMatchObject({ code: 78, stderr: expect.stringMatching(/^foreword: [^\n]*DATA_DIR[^\n]*\n$/) });
});
