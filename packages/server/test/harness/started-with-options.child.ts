import { runService } from '../../src/start.ts';

// The real service, with limits that only tests change.
await runService(JSON.parse(process.env.START_OPTIONS ?? ''));
