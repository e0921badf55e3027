import { afterAll, expect, test } from 'vitest';
import { Workspace } from './workspace.ts';

const workspace = new Workspace();
afterAll(() => workspace.close());

test('Spectral has nothing to say about openapi.json, not even a hint', async () => {
  workspace.write('.spectral.yaml', 'extends: ["spectral:oas"]\n');
  const output = await workspace.run('npx @stoplight/spectral-cli lint openapi.json --fail-severity hint');
  expect(output).toContain('No results');
});
