import { runService } from '../../src/start.ts';

// The real service, which gives up on its database after seconds instead of a minute.
await runService({ databaseFailureLimitMs: 3_000 });
