import fs from 'node:fs';
import path from 'node:path';
import { ORGANIZATION_BRAND_FIELDS, TOUCHPOINT_FIELDS } from '@foreword/contract';
import { expect, test } from 'vitest';
import { createTestDatabase, forFile } from '../harness/index.ts';

const database = await forFile(createTestDatabase(), (opened) => opened.drop());

const NULLABLE_CONTENT: readonly string[] = [
  ...[
    'lane',
    'script_es',
    'page_title_es',
    'text_message',
    'text_message_es',
    'action_label',
    'action_label_es',
    'action_url',
  ],
];
const REQUIRED_BRAND: readonly string[] = ['name', 'timezone', 'language'];
const TABLES: Record<string, string> = {
  organizations: 'OrganizationRow',
  members: 'MemberRow',
  touchpoints: 'TouchpointRow',
  touchpoint_changes: 'TouchpointChangeTable',
  api_keys: 'ApiKeyRow',
  idempotency_keys: 'IdempotencyKeyTable',
  touchpoint_events: 'TouchpointEventTable',
  waiting_events: 'WaitingEventTable',
  intros: 'IntroTable',
  intro_replies: 'IntroReplyRow',
  intro_answers: 'IntroAnswerRow',
  intro_declines: 'IntroDeclineRow',
  intro_reassignments: 'IntroReassignmentRow',
  link_domains: 'LinkDomainRow',
  likeness_consents: 'LikenessConsentTable',
  likeness_removals: 'LikenessRemovalTable',
  recordings: 'RecordingTable',
  encoding_claims: 'EncodingClaimTable',
  links: 'LinkTable',
  replaced_links: 'ReplacedLinkTable',
  delivery_settings: 'DeliverySettingsTable',
  message_queue: 'MessageQueueTable',
  messages: 'MessageTable',
  owner_emails: 'OwnerEmailTable',
  retention_settings: 'RetentionSettingTable',
  weekly_summaries: 'WeeklySummaryTable',
  texted_numbers: 'TextedNumberTable',
  flagged_numbers: 'FlaggedNumberTable',
  carrier_holds: 'CarrierHoldTable',
  carrier_notices: 'CarrierNoticeTable',
  received_texts: 'ReceivedTextTable',
  listed_intros: 'ListedIntroRow',
  text_counts: 'TextCountTable',
  consents: 'ConsentTable',
  opt_outs: 'OptOutTable',
  erased_opt_outs: 'ErasedOptOutTable',
  recipient_erasures: 'RecipientErasureTable',
  test_clocks: 'TestClockTable',
  server_key: 'ServerKeyTable',
  previous_server_keys: 'PreviousServerKeyTable',
  webhook_endpoints: 'WebhookEndpointRow',
  webhook_messages: 'WebhookMessageRow',
  webhook_deliveries: 'WebhookDeliveryTable',
  webhook_attempts: 'WebhookAttemptRow',
  traces: 'TraceTable',
  rate_buckets: 'RateBucketTable',
  console_sessions: 'ConsoleSessionTable',
  signin_links: 'SignInLinkTable',
  passkeys: 'PasskeyTable',
  request_log: 'RequestLogRow',
  request_log_gaps: 'RequestLogGapTable',
  audit_entries: 'AuditEntryTable',
};
/** The columns of the types that rows extend → whether they allow null. */
const INHERITED: Record<string, [string, boolean][]> = {
  Owned: ['organization_id', 'environment', 'id'].map((column) => [column, false]),
  OrganizationBrand: ORGANIZATION_BRAND_FIELDS.map((field) => [field, !REQUIRED_BRAND.includes(field)]),
  TouchpointContent: TOUCHPOINT_FIELDS.map((field) => [field, NULLABLE_CONTENT.includes(field)]),
};

/** Column → whether its type in tables/ allows null. */
function declaredColumns(source: string, name: string): Map<string, boolean> {
  const [, parents = '', body = ''] =
    new RegExp(`interface ${name} (?:extends ([\\w, ]+) )?\\{([^}]*)\\}`).exec(source) ?? [];
  const fields = [...body.matchAll(/^ {2}(\w+): (.*);$/gm)].map(([, column = '', type = '']): [string, boolean] => [
    column,
    type.endsWith('| null'),
  ]);
  const inherited = parents === '' ? [] : parents.split(', ');
  return new Map([
    ...inherited.flatMap((parent) => INHERITED[parent] ?? [...declaredColumns(source, parent)]),
    ...fields,
  ]);
}

test('the interfaces in tables/ declare exactly the columns of the database', async () => {
  const folder = path.join(import.meta.dirname, '../../src/tables');
  const source = fs
    .readdirSync(folder)
    .map((file) => fs.readFileSync(path.join(folder, file), 'utf8'))
    .join('\n');
  for (const [table, name] of Object.entries(TABLES)) {
    const columns = await database.query<{ column_name: string; nullable: boolean; data_type: string }>(
      `select column_name, is_nullable = 'YES' as nullable, data_type from information_schema.columns
       where table_schema = 'public' and table_name = $1`,
      [table],
    );
    const declared = declaredColumns(source, name);
    expect([...declared.keys()].sort(), table).toEqual(columns.map(({ column_name }) => column_name).sort());
    for (const { column_name, nullable, data_type } of columns) {
      // A json column is typed by its content, which may be null.
      if (data_type !== 'json') expect(declared.get(column_name), `${table}.${column_name}`).toBe(nullable);
    }
  }
});

test('the primary key of every growing table starts with the organization', async () => {
  const keys = await database.query<{ table: string; first: string }>(
    `select c.relname as table, a.attname as first from pg_index i
     join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
     where n.nspname = 'public' and i.indisprimary and c.relname not in ('migrations', 'organizations', 'server_key', 'previous_server_keys',
       'carrier_holds', 'received_texts')`,
  );
  expect(keys.length).toBe(Object.keys(TABLES).length - 5);
  for (const { table, first } of keys) expect(first, table).toBe('organization_id');
});
