import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { Workspace } from './workspace.ts';

const workspace = await forFile(Promise.resolve(new Workspace()));

test('Spectral has nothing to say about openapi.json, not even a hint', async () => {
  workspace.write('.spectral.yaml', 'extends: ["spectral:oas"]\n');
  const output = await workspace.run('npx @stoplight/spectral-cli lint openapi.json --fail-severity hint');
  expect(output).toContain('No results');
});
