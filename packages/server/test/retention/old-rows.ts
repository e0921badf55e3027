import type { TestDatabase } from '../harness/index.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
let added = 0;

/** An id of this age. */
function idAt(prefix: string, at: Date): string {
  let time = '';
  for (let rest = at.getTime(), i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32] + time;
  added += 1;
  return `${prefix}_${time}${String(added).padStart(16, '0')}`;
}

type Row = Readonly<Record<string, unknown>>;

/** Inserts rows of one organization as they are, because no request creates old ones. */
export function openRows(database: TestDatabase, organizationId: string) {
  async function insert(table: string, row: Row): Promise<void> {
    const full: Row = { organization_id: organizationId, environment: 'test', ...row };
    const names = Object.keys(full);
    await database.query(
      `insert into ${table} (${names.join(', ')}) values (${names.map((_, i) => `$${i + 1}`).join(', ')})`,
      Object.values(full),
    );
  }

  return {
    organizationId,
    insert,
    async intro(at: Date, changes: Row = {}): Promise<string> {
      const id = idAt('int', at);
      const row = {
        id,
        status: 'sent',
        member_id: 'mem_1',
        recipient_first_name: 'Dana',
        recipient_phone: '+15005550111',
      };
      const rest = { instructed: false, responsibility: 'service', metadata: '{}', created_at: at, sent_at: at };
      await insert('intros', { ...row, ...rest, ...changes });
      return id;
    },
    async event(at: Date, changes: Row = {}): Promise<string> {
      const id = idAt('evt', at);
      const row = {
        id,
        status: 'processed',
        touchpoint_id: 'tp_1',
        touchpoint_name: 'Update',
        member_id: 'mem_1',
        request: '{}',
      };
      await insert('touchpoint_events', { ...row, created_at: at, settled_at: at, ...changes });
      return id;
    },
    async message(at: Date, introId: string, changes: Row = {}): Promise<string> {
      const id = idAt('msg', at);
      const row = {
        id,
        intro_id: introId,
        audience: 'recipient',
        purpose: 'deliver',
        channel: 'text',
        status: 'delivered',
      };
      const rest = {
        due_at: at,
        created_at: at,
        accepted_at: at,
        settled_at: at,
        address: '+15005550111',
        round: added,
      };
      const { status, ...message } = { ...row, ...rest, ...changes };
      if (status === 'delivered') await insert('messages', { ...message, status });
      else {
        const { channel, accepted_at: _accepted, settled_at: _settled, ...waiting } = message;
        await insert('message_queue', {
          ...waiting,
          planned_channel: channel,
          claimed_at: status === 'sending' ? at : null,
        });
      }
      return id;
    },
    async request(at: Date): Promise<string> {
      const id = idAt('req', at);
      const row = {
        id,
        key_id: 'key_1',
        method: 'POST',
        path: '/v1/intros',
        status: 201,
        duration_ms: 1,
        body_bytes: 0,
      };
      await insert('request_log', { ...row, created_at: at });
      return id;
    },
    async webhook(at: Date, dueAt: Date | null = null): Promise<string> {
      const id = idAt('msg', at);
      await insert('webhook_messages', { id, type: 'intro.sent', sealed_payload: Buffer.of(1), created_at: at });
      const status = dueAt === null ? 'delivered' : 'pending';
      await insert('webhook_deliveries', {
        message_id: id,
        endpoint_id: 'whk_1',
        status,
        due_at: dueAt,
        created_at: at,
      });
      const attempt = {
        endpoint_id: 'whk_1',
        id: idAt('att', at),
        message_id: id,
        type: 'intro.sent',
        succeeded: true,
      };
      await insert('webhook_attempts', { ...attempt, duration_ms: 1, created_at: at });
      return id;
    },
    async key(at: Date, changes: Row = {}): Promise<Buffer> {
      added += 1;
      const key_hash = Buffer.from(`key:${added}`);
      await insert('idempotency_keys', {
        key_hash,
        fingerprint: Buffer.from('00', 'hex'),
        response: '{}',
        created_at: at,
        ...changes,
      });
      return key_hash;
    },
    async take(at: Date, introId: string, changes: Row = {}): Promise<string> {
      const id = idAt('rec', at);
      const row = {
        id,
        intro_id: introId,
        member_id: 'mem_1',
        status: 'ready',
        media_type: 'video/mp4',
        created_at: at,
        touched_at: at,
        ready_at: at,
      };
      await insert('recordings', { ...row, files_check_at: new Date(Date.now() + 86_400_000), ...changes });
      return id;
    },
    /** The values of one column, in order. */
    async list(table: string, column = 'id', where = 'true'): Promise<unknown[]> {
      const text = `select ${column} as value from ${table} where organization_id = $1 and ${where} order by 1`;
      return (await database.query<{ value: unknown }>(text, [organizationId])).map(({ value }) => value);
    },
  };
}

export type Rows = ReturnType<typeof openRows>;
