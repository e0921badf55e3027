import { defineConfig } from 'vitest/config';

// Separate from `npm test`: these install n8n's packages, to run the nodes with them.
export default defineConfig({
  test: {
    include: ['integrations/n8n-nodes-foreword/test/*.test.ts'],
    globalSetup: ['integrations/n8n-nodes-foreword/test/install.ts', 'packages/server/test/harness/global-setup.ts'],
    maxWorkers: 2,
    // n8n takes seconds to load, so all files of a worker share it.
    isolate: false,
    expect: { poll: { timeout: 10_000 } },
    // The simulated recording is encoded, which takes long on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
