import { planDelivery } from '../delivery/index.ts';
import { every } from '../platform/schedule.ts';
import {
  createRecordingProcessor,
  FILES_INTERVAL_MS,
  requeueStranded,
  STRANDED_INTERVAL_MS,
  sweepFiles,
  workOnRecordings,
} from '../recordings/index.ts';
import type { Core, Running } from './core.ts';

/** Starts encoding takes, one at a time: an encoder uses every core that the API leaves idle. */
export async function startMedia(core: Core): Promise<Running[]> {
  const { db, jobs, objects, clock, log, config, introEvents } = core;
  const processor = createRecordingProcessor({
    ...core,
    async onReady(tx, tenant, introId, now) {
      await planDelivery(tx, tenant, introId, now);
      await introEvents.publish(tx, [{ tenant, introId, type: 'intro.ready' }], now);
    },
  });
  await workOnRecordings(jobs, processor);
  const { originalsDays } = config;
  return [
    processor,
    every(STRANDED_INTERVAL_MS, 'requeue takes', log, () => requeueStranded(db, jobs, clock)),
    every(FILES_INTERVAL_MS, 'sweep files', log, () => sweepFiles({ db, objects, clock, originalsDays })),
  ];
}
