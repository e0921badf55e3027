// Runs a launcher in a separate process: node embedded-postgres.child.ts <launcher> <DATA_DIR> <wait in ms>
// Prints one line of JSON, and stops the database when its standard input ends.
import { pathToFileURL } from 'node:url';

const [launcher = '', dataDir = '', waitMs = ''] = process.argv.slice(2);
const { startEmbeddedPostgres }: typeof import('../../src/db/embedded-postgres/index.ts') = await import(
  pathToFileURL(launcher).href
);

try {
  const postgres = await startEmbeddedPostgres({ dataDir, waitMs: Number(waitMs) });
  // Like a server that drains its requests before it stops the database.
  process.on('SIGINT', () => console.log('interrupted'));
  console.log(JSON.stringify({ connection: postgres.connection, pid: postgres.pid, uid: process.getuid?.() }));
  process.stdin.resume().once('end', () => void postgres.stop());
} catch (error) {
  console.log(JSON.stringify({ error: String(error) }));
}
