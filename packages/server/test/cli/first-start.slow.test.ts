import { existsSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
import {
  createApi,
  freePort,
  launchService,
  listenLocally,
  logLines,
  runForeword,
  startService,
} from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const dataDir = path.join(temporaryFolder(), 'data');
const environment = { DATA_DIR: dataDir };

test('a first start on a port in use names the variable to set, and the next start still shows the demo key', async () => {
  const { port, close } = await listenLocally(http.createServer((_request, response) => response.writeHead(404).end()));
  await expect(startService({ ...environment, PORT: String(port) })).rejects.toThrow(
    `cannot listen on HOST 127.0.0.1, PORT ${port}: EADDRINUSE; set PORT to a free port`,
  );
  await close();
  const service = await startService(environment);
  const output = await eventually(
    async () => service.output(),
    (written) => written.includes('/console/signin/'),
  );
  const [key = ''] = /fw_test_\w+/.exec(output) ?? [];
  expect((await createApi(service.url, key).get('/v1/touchpoints')).status).toBe(200);
  expect(await service.stop()).toBe(0);
});

test('a DATA_DIR that cannot be created ends the service at once, with one line that names it', async () => {
  const service = launchService({ DATA_DIR: '/proc/nope', PORT: String(await freePort()) });
  expect(await service.exited).toBe(78);
  expect(service.output()).toMatch(/^foreword: cannot create \/proc\/nope \(DATA_DIR\)[^\n]*\n$/);
});

test('a HOST that is no name of this machine ends the service with one line that names it', async () => {
  // Too long for a name server, so none is asked.
  const service = launchService({ ...environment, HOST: 'x'.repeat(64), PORT: '0' });
  expect(await service.exited).toBe(1);
  expect(service.output()).toMatch(/^foreword: cannot listen on HOST x{64}, PORT 0: ENOTFOUND\n$/);
});

test('an FFMPEG_PATH that does not run ends the service with one line, before it creates anything', async () => {
  const elsewhere = `${dataDir}-ffmpeg`;
  const service = launchService({ DATA_DIR: elsewhere, FFMPEG_PATH: '/bin/false', PORT: String(await freePort()) });
  expect(await service.exited).toBe(78);
  expect(service.output()).toMatch(/^foreword: FFMPEG_PATH must be an ffmpeg that runs: [^\n]*\/bin\/false[^\n]*\n$/);
  expect(existsSync(elsewhere)).toBe(false);
});

test('the service and doctor warn of a mistyped variable', async () => {
  const mistyped = { ...environment, PUBIC_URL: 'https://intros.example.com' };
  const message = 'PUBIC_URL is not a variable of Foreword. Did you mean PUBLIC_URL?';
  const service = await startService(mistyped);
  const doctor = await runForeword(mistyped, 'doctor', '--json');
  await service.stop();
  expect(logLines(service)).toContainEqual(expect.objectContaining({ level: 'warn', msg: message }));
  expect(JSON.parse(doctor.stdout).checks).toContainEqual(
    expect.objectContaining({ name: 'configuration', status: 'warning', message }),
  );
});
