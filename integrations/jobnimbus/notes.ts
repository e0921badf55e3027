import { type CrmApi, listAt, textAt } from '../bridge/index.ts';

/** The newest activities of a record that are compared. A repeat follows within minutes or hours. */
const COMPARED = 100;

/** Adds a note to a contact or job, unless a recent one has the same text. */
export async function writeNoteOnce(api: CrmApi, recordId: string, text: string): Promise<void> {
  const filter = encodeURIComponent(JSON.stringify({ must: [{ term: { 'primary.id': recordId } }] }));
  const found = await api.call({ operation: 'list activities', path: `/activities?size=${COMPARED}&filter=${filter}` });
  if (listAt(found, 'activity').some((activity) => textAt(activity, 'note')?.includes(text) === true)) return;
  const json = { note: text, record_type_name: 'Note', primary: { id: recordId } };
  await api.call({ operation: 'create activity', method: 'POST', path: '/activities', json });
}
