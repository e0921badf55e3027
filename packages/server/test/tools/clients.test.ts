import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { guideBlock, Workspace } from './workspace.ts';

const COMPILER = path.join(import.meta.dirname, '../../../../node_modules/.bin/tsc');

const OPTIONS = {
  strict: true,
  noEmit: true,
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'nodenext',
  types: ['node'],
};

/** The types that a caller uses, by the names that each generator gives them. */
const GENERATORS = [
  {
    name: 'openapi-typescript',
    command: 'openapi-typescript',
    types: `
      import type { components, operations } from './foreword.js';
      type Body = operations['createIntro']['requestBody']['content']['application/json'];
      type Event = operations['createTouchpointEvent']['requestBody']['content']['application/json'];
      type Intro = components['schemas']['Intro'];
      type Failure = components['schemas']['ApiError'];`,
  },
  {
    name: '@hey-api/openapi-ts',
    command: '@hey-api/openapi-ts',
    example: 'client.setConfig',
    types: `
      import type { ApiError as Failure, CreateIntroData, CreateTouchpointEventData, Intro } from './foreword/index.js';
      type Body = CreateIntroData['body'];
      type Event = CreateTouchpointEventData['body'];`,
  },
  {
    name: 'orval',
    command: 'orval',
    example: './orval/foreword.js',
    types: `
      import type { ApiError as Failure, createIntro, createTouchpointEvent, Intro } from './orval/foreword.js';
      type Body = Parameters<typeof createIntro>[0];
      type Event = Parameters<typeof createTouchpointEvent>[0];`,
  },
];

/** Compiles only if each line after an expected error is one. */
const ASSERTIONS = `
const recipient = { first_name: 'Dana', phone: '+14155550123' };
const moment = { touchpoint: 'new_appointment', occurred_at: '2026-03-10T09:15:00Z', recipient };
const [id, external_id, email] = ['mem_1', 'rep_17', 'ana@acme.example'];

export const accepted: Body[] = [
  { member: { id }, recipient },
  { member: { external_id }, recipient, metadata: { priority: 2, west: true, owner: 'Ana' } },
  { member: { email }, recipient: { ...recipient, last_name: 'Reyes' }, delivery: { responsibility: 'service' } },
];
export const event: Event = { ...moment, member: { external_id } };

// @ts-expect-error no member
export const none: Body = { member: {}, recipient };
// @ts-expect-error two identifiers
export const two: Body = { member: { external_id, email }, recipient };
// @ts-expect-error no member
export const eventOfNone: Event = { ...moment, member: {} };
// @ts-expect-error two identifiers
export const eventOfTwo: Event = { ...moment, member: { id, email } };
// @ts-expect-error a typo
export const typo: Body = { member: { id }, recipient: { ...recipient, surname: 'Reyes' } };
// @ts-expect-error not one of the values
export const carrier: Body = { member: { id }, recipient, delivery: { responsibility: 'carrier' } };

export const failure: Failure = { error: { code: 'a_code_of_tomorrow', message: 'New.' } };
export const known: Failure = { error: { code: 'validation_failed', message: 'phone is required', field: 'recipient.phone' } };

export const wasRecorded = ({ recorded_at }: Intro): boolean => recorded_at !== null;
// @ts-expect-error null until it is recorded
export const recordedAt = ({ recorded_at }: Intro): string => recorded_at;
// @ts-expect-error null when it was created directly
export const touchpoint = ({ touchpoint }: Intro): string => touchpoint;
`;

const workspace = await forFile(Promise.resolve(new Workspace()));

describe.each(GENERATORS)('$name', ({ command, types, example }) => {
  test('generates a client that compiles strictly and rejects wrong requests', async () => {
    if (command === 'orval') workspace.write('orval.config.mjs', guideBlock('orval/foreword.ts', 'js'));
    await workspace.run(guideBlock(`npx ${command}`));
    workspace.write('types.ts', types.replaceAll(/^ +/gm, '') + ASSERTIONS);
    if (example) workspace.write('example.ts', guideBlock(example, 'ts'));
    const files = ['types.ts', ...(example ? ['example.ts'] : [])];
    workspace.write('tsconfig.json', JSON.stringify({ compilerOptions: OPTIONS, files }));
    expect(await workspace.run(`${COMPILER} -p .`)).toBe('');
  });
});
