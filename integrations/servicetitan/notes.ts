import { listAt, textAt } from '../bridge/index.ts';
import type { ServiceTitan } from './api.ts';

/** Adds a note to a job, unless one has the same text. */
export async function writeNoteOnce(api: ServiceTitan, jobId: string, text: string): Promise<void> {
  const found = await api.get('list notes', 'jpm', `/jobs/${jobId}/notes?pageSize=100`);
  if (listAt(found, 'data').some((note) => textAt(note, 'text')?.includes(text) === true)) return;
  await api.post('create note', 'jpm', `/jobs/${jobId}/notes`, { text, pinToTop: false });
}
