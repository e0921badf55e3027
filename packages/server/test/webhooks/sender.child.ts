import { openPool } from '../db/fixture.ts';
import { openSender } from './webhook-fixture.ts';

/** A sender in its own process, for a test to kill. Argument: the URL of the database. */
const [url = ''] = process.argv.slice(2);
openSender(openPool(url, { keyedPlans: true }), url);
process.on('disconnect', () => process.exit(0));
