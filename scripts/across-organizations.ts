import type { SourceFile } from './source-files.ts';

/**
 * Everything that would need a change if the tables were divided by organization, with Citus for example. The check fails when
 * something is added without a reason, so these lists stay complete: docs/decisions/0074-cells-instead-of-citus.md.
 */
type Reason =
  /** The organization is in a part of the statement that the types cannot see, so one server answers. */
  | 'within one'
  /** Inserts or changes rows that name their organization: they would be grouped by server. */
  | 'rows of several'
  /** Finds the organization by a secret, a host or a phone number: asks every server, or a table that all servers have. */
  | 'finds the organization'
  /** An operator's command that gets an id: asks every server. */
  | 'operator'
  /** Deletes or changes what is old, without locks: runs on every server. */
  | 'cleans up'
  /** Reads what waits, of all organizations, or locks it: runs on every server, each with its own share of the work. */
  | 'takes work';

/** Every function that uses `acrossTenants`, by store. */
export const FUNCTIONS: Readonly<Record<string, Readonly<Record<string, Reason>>>> = {
  'access/store.ts': {
    findLiveKey: 'finds the organization',
    listKeys: 'within one',
    lockKey: 'operator',
    markExpiring: 'takes work',
    updateKeys: 'operator',
  },
  'audit/store.ts': { withNames: 'within one' },
  'backup/store.ts': { findNeededTakes: 'operator' },
  'console/sessions/store.ts': {
    deleteOld: 'cleans up',
    findDeadLink: 'finds the organization',
    findLink: 'finds the organization',
    invited: 'finds the organization',
    withMember: 'finds the organization',
  },
  'delivery/store/due.ts': { requeueAbandoned: 'cleans up', requeueReplies: 'cleans up' },
  'delivery/store/flagged-numbers.ts': { unflagSender: 'finds the organization' },
  'delivery/store/holds.ts': { endHold: 'takes work' },
  'delivery/store/inbound.ts': {
    findTextedIntros: 'finds the organization',
    findTextedMembers: 'finds the organization',
  },
  'delivery/store/limits.ts': { deleteOldCounts: 'cleans up' },
  'delivery/store/owner-emails.ts': { adoptOwnerEmails: 'takes work' },
  'delivery/store/settings.ts': { listAccounts: 'operator' },
  'delivery/store/weekly-summaries.ts': { listUnsummarized: 'takes work' },
  'erasure/store/erasures.ts': { findErasureTenant: 'operator', listDue: 'takes work' },
  'events/store.ts': { findEventTenant: 'operator' },
  'idempotency/store.ts': { listSecretResponses: 'operator' },
  'intros/store.ts': { findIntroAcrossTenants: 'operator', findIntros: 'within one', withMembers: 'within one' },
  'intros/store/member-intros.ts': { countRows: 'within one' },
  'intros/store/touchpoint-usage.ts': { findLongestRecipient: 'within one', listNewestPeople: 'within one' },
  'intros/store/transitions.ts': { moveToExpired: 'takes work' },
  'likeness/store.ts': { claimRemoval: 'takes work', reopenRemovals: 'cleans up' },
  'link-domains/store.ts': {
    deleteAbandoned: 'finds the organization',
    findDomainAcrossTenants: 'operator',
    listFailingDomains: 'takes work',
    selectServed: 'finds the organization',
  },
  'links/store.ts': {
    countLiveLinks: 'operator',
    findLink: 'finds the organization',
    findReplacedLink: 'finds the organization',
    insertLinks: 'rows of several',
  },
  'members/store.ts': {
    deactivateAnyMember: 'operator',
    findAnyMember: 'operator',
    insertMember: 'within one',
    insertMembers: 'within one',
    rewriteMembers: 'within one',
  },
  'recordings/store/files.ts': { findOldOriginals: 'takes work' },
  'recordings/store/likeness.ts': { discardTakesOf: 'within one', listTakesWithFiles: 'within one' },
  'recordings/store/uploads.ts': { discardStale: 'cleans up' },
  'retention/store/settings.ts': { listChoices: 'takes work', saveChoice: 'within one' },
  'test-clock/store.ts': { listClocks: 'takes work' },
  'touchpoints/store.ts': { insertTouchpoint: 'within one', insertTouchpoints: 'within one' },
  'touchpoints/store/history.ts': { insertChange: 'within one' },
  'traces/store.ts': { deleteOldTraces: 'cleans up' },
  'webhooks/store.ts': { findEndpointAcrossTenants: 'operator' },
  'webhooks/store/deliveries.ts': { countBacklog: 'within one' },
};

/** Functions that triggers on the tables of organizations run. Citus allows no triggers there. */
const TRIGGERS: Readonly<Record<string, string>> = {
  hint_console: 'Sixty statements change what open consoles show. A forgotten hint would only show as a stale screen.',
  hint_console_of_events: 'As above.',
  hint_console_of_takes: 'As above.',
  tell_console: 'Changes of settings, which are rare.',
  tell_console_of_sessions: 'Ends a session in open consoles at once.',
  protect_audit_entries: 'Refuses changes of the audit log, also by the service itself.',
  keep_recording_time: 'Translates between two columns while two versions run.',
  refuse_sealed_webhook: 'Keeps nodes of an earlier version from sending what they cannot read.',
};

/** Unique keys without the organization. */
const KEYS: Readonly<Record<string, string>> = {
  link_domains_owner: 'A host belongs to one organization. The table is small: every server would have it.',
};

const TABLE = 'scripts/across-organizations.ts';
const SOURCES = 'packages/server/src/';
/** Defines `acrossTenants`. */
const DEFINITION = `${SOURCES}tenancy.ts`;

function findFunctions(sources: readonly SourceFile[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { path, text } of sources) {
    if (!path.startsWith(SOURCES) || path === DEFINITION) continue;
    for (const { index } of text.matchAll(/\bacrossTenants\(/g)) {
      const before = [...text.slice(0, index).matchAll(/^(?:export )?(?:async )?(?:function|const) (\w+)/gm)];
      const store = path.slice(SOURCES.length);
      found.set(store, (found.get(store) ?? new Set()).add(before.at(-1)?.[1] ?? ''));
    }
  }
  return found;
}

const compare = (found: readonly string[], listed: readonly string[], what: string): string[] => [
  ...found.filter((one) => !listed.includes(one)).map((one) => `${TABLE}: ${what} ${one} needs a reason`),
  ...listed.filter((one) => !found.includes(one)).map((one) => `${TABLE}: ${what} ${one} is listed, and there is none`),
];

/** Problems of the lists above, in `schema.sql` and in the stores. */
export function checkAcrossOrganizations(schema: string, sources: readonly SourceFile[]): string[] {
  const namesOf = (functions: ReadonlyMap<string, Iterable<string>>) =>
    [...functions].flatMap(([store, names]) => [...names].map((name) => `${store} ${name}`));
  const listed = new Map(Object.entries(FUNCTIONS).map(([store, functions]) => [store, Object.keys(functions)]));

  const tables = [...schema.matchAll(/^create table (\w+) \(([^;]*)\n\);/gm)]
    .filter(([, , body = '']) => /^ {2}organization_id /m.test(body))
    .map(([, name = '', body = '']) => ({ name, body }));
  const owned = new Set(tables.map(({ name }) => name));
  const constraints = tables.flatMap(({ body }) => [
    ...body.matchAll(/constraint (\w+) (?:primary key|unique)[^(]*\(([^)]*)\)/gi),
  ]);
  const indexes = [...schema.matchAll(/^create unique index (\w+) on public\.(\w+) using btree (.*);/gim)]
    .filter(([, , table = '']) => owned.has(table))
    .map(([all, name = '', , columns = '']) => [all, name, columns]);
  const keys = [...constraints, ...indexes].filter(([, , columns = '']) => !/\borganization_id\b/.test(columns));
  const triggers = [...schema.matchAll(/^create trigger .* on public\.(\w+) .*execute function (\w+)\(/gim)]
    .filter(([, table = '']) => owned.has(table))
    .map(([, , name = '']) => name);
  return [
    ...compare(namesOf(findFunctions(sources)), namesOf(listed), 'the function'),
    ...compare([...new Set(triggers)], Object.keys(TRIGGERS), 'the trigger function'),
    ...compare(
      keys.map(([, name = '']) => name),
      Object.keys(KEYS),
      'the unique key',
    ),
  ];
}
