import { spawn } from 'node:child_process';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');
const PROGRAMS = path.join(ROOT, 'node_modules/.bin');

interface Check {
  name: string;
  command: string;
  args: string[];
}

const CHECKS: Check[] = [
  { name: 'format and lint', command: 'biome', args: ['check', '--error-on-warnings', '.'] },
  { name: 'types', command: 'tsc', args: ['-p', '.'] },
  // Without the types of Node and of browsers.
  { name: 'types of sdk', command: 'tsc', args: ['-p', 'packages/sdk'] },
  { name: 'types of web', command: 'tsc', args: ['-p', 'packages/web'] },
  { name: 'types of web tests', command: 'tsc', args: ['-p', 'packages/web/test'] },
  // The console's tests include it.
  { name: 'types of console', command: 'tsc', args: ['-p', 'packages/web/test/console'] },
  {
    name: 'import rules',
    command: 'depcruise',
    args: ['--no-progress', 'packages', 'scripts', 'bench', 'integrations'],
  },
  { name: 'source rules', command: process.execPath, args: ['scripts/source-rules.ts'] },
  { name: 'unused code', command: 'knip', args: ['--no-progress', '--treat-config-hints-as-errors'] },
  { name: 'generated files', command: process.execPath, args: ['scripts/gen.ts', '--check'] },
  // The strict ruleset is the recommended one with warnings as errors.
  { name: 'openapi.json', command: 'redocly', args: ['lint', '--extends=recommended-strict', 'openapi.json'] },
  { name: 'compatibility', command: process.execPath, args: ['scripts/compatibility.ts'] },
];

const ENVIRONMENT = {
  ...process.env,
  PATH: `${PROGRAMS}${path.delimiter}${process.env.PATH ?? ''}`,
  // No usage reports and no update checks: a check makes no network requests.
  CI: 'true',
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
};

interface Outcome {
  name: string;
  output: string;
  ok: boolean;
}

function run({ name, command, args }: Check): Promise<Outcome> {
  const startedMs = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', (error) => {
      output += `${command} could not start: ${error.message}\n`;
    });
    child.on('close', (code) => {
      const ok = code === 0;
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
      process.stdout.write(`${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(18)} ${seconds.padStart(5)} s\n`);
      resolve({ name, output, ok });
    });
  });
}

const outcomes = await Promise.all(CHECKS.map(run));
for (const { name, output } of outcomes.filter(({ ok }) => !ok)) {
  process.stdout.write(`\n== ${name}\n${output.trim()}\n`);
  process.exitCode = 1;
}
