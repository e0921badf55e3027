import { type Load, postEvents, readPaths } from '../load.ts';

/**
 * Sends the requests of one organization while another one is measured. Runs apart from the bench, so that the bench's own measurements do
 * not wait for it. Handles one request per message. Exits with its parent.
 */
export interface NoiseRequest {
  readonly load: Load;
  /** Each sends the load. */
  readonly keys: readonly string[];
  /** Posts events unless there are paths to read. */
  readonly paths: readonly string[];
}

process.on('message', async ({ load, keys, paths }: NoiseRequest) => {
  const reports = await Promise.all(
    keys.map((key) =>
      paths.length === 0 ? postEvents({ ...load, key }) : readPaths(load, `Authorization: Bearer ${key}`, paths),
    ),
  );
  // The bench may have exited in the meantime.
  if (process.connected) process.send?.(reports);
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
