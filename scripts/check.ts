import { execFile } from 'node:child_process';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');
const PROGRAMS = path.join(ROOT, 'node_modules/.bin');

const CHECKS: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  'format and lint': ['biome', 'check', '--error-on-warnings', '.'],
  types: ['tsc', '-p', '.'],
  // Without the types of Node and of browsers.
  'types of sdk': ['tsc', '-p', 'packages/sdk'],
  'types of web': ['tsc', '-p', 'packages/web'],
  'types of web tests': ['tsc', '-p', 'packages/web/test'],
  // The console's tests include it.
  'types of console': ['tsc', '-p', 'packages/web/test/console'],
  'import rules': ['depcruise', '--no-progress', 'packages', 'scripts', 'bench', 'integrations'],
  'source rules': [process.execPath, 'scripts/source-rules.ts'],
  'unused code': ['knip', '--no-progress', '--treat-config-hints-as-errors'],
  'generated files': [process.execPath, 'scripts/gen.ts', '--check'],
  // The strict ruleset is the recommended one with warnings as errors.
  'openapi.json': ['redocly', 'lint', '--extends=recommended-strict', 'openapi.json'],
  compatibility: [process.execPath, 'scripts/compatibility.ts'],
};

const ENVIRONMENT = {
  ...process.env,
  PATH: `${PROGRAMS}${path.delimiter}${process.env.PATH ?? ''}`,
  // No usage reports and no update checks: a check makes no network requests.
  CI: 'true',
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
};

const outputs = Object.entries(CHECKS).map(([name, [command, ...args]]) => {
  const startedMs = performance.now();
  return new Promise<string>((resolve) => {
    execFile(command, args, { cwd: ROOT, env: ENVIRONMENT, maxBuffer: 100_000_000 }, (error, stdout, stderr) => {
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
      process.stdout.write(`${error ? 'FAILED' : 'ok    '}  ${name.padEnd(18)} ${seconds.padStart(5)} s\n`);
      resolve(error ? `\n== ${name}\n${`${stdout}${stderr}`.trim() || error.message}\n` : '');
    });
  });
});
for (const output of await Promise.all(outputs)) {
  process.stdout.write(output);
  if (output !== '') process.exitCode = 1;
}
