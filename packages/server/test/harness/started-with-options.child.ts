import { runService } from '../../src/app/start.ts';

// The real service, with limits that only tests change.
await runService(JSON.parse(process.env.START_OPTIONS ?? ''));
