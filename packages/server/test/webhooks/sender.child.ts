import { openPool, openSender } from './stage.ts';

/** A worker in a process of its own, to be killed. Argument: the address of the database. */
const [url = ''] = process.argv.slice(2);
openSender(openPool(url), url);
process.on('disconnect', () => process.exit(0));
