/**
 * Every index of the schema, by the store with the statement that needs it: each costs time at every write, so one without a
 * statement has to go. Primary keys and other constraints are not listed.
 */
export const INDEXES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'access/store.ts': {
    api_keys_expiring: 'markExpiring',
    api_keys_hash: 'findLiveKey',
  },
  'audit/store.ts': {
    audit_entries_action: 'selectEntries',
    audit_entries_actor: 'selectEntries',
    audit_entries_newest: 'selectEntries',
    audit_entries_object: 'selectEntries',
    audit_entries_related: 'selectEntries',
    audit_entries_request: 'selectEntries',
  },
  'console/developers/request-log/store.ts': {
    request_log_errors: 'selectCandidates',
    request_log_object: 'findCreatingRequest',
  },
  'console/passkeys/store.ts': {
    passkeys_credential: 'recordPasskeyUse',
    passkeys_member: 'ofMember',
  },
  'console/sessions/store.ts': {
    console_sessions_hash: 'findSession',
    console_sessions_previous: 'findSession',
    console_sessions_seen: 'deleteOld',
    signin_links_expired: 'deleteOld',
    signin_links_hash: 'findLink',
    signin_links_member: 'unusedLinks',
  },
  'console/sessions/store/ending.ts': {
    console_sessions_member: 'endSessions',
  },
  'delivery/store/clear-bodies.ts': {
    messages_clear: 'TAKE',
  },
  'delivery/store/consents.ts': {
    intros_phone: 'findSenders',
    messages_texted: 'findSenders',
    texted_numbers_phone: 'findSenders',
  },
  'delivery/store/due.ts': {
    messages_claimed: 'requeueAbandoned',
    messages_due: 'TAKE',
    messages_replies: 'requeueReplies',
  },
  'delivery/store/flagged-numbers.ts': {
    flagged_numbers_phone: 'unflagSender',
  },
  'delivery/store/holds.ts': {
    carrier_notices_account: 'endHold',
    messages_held: 'wakeTexts',
  },
  'delivery/store/messages.ts': {
    messages_intro: 'INSERT',
    messages_waiting: 'makeDeliveriesDue',
  },
  'delivery/store/owner-emails.ts': {
    owner_letters_claimed: 'adoptOwnerEmails',
    owner_letters_due: 'adoptOwnerEmails',
  },
  'delivery/store/received-texts.ts': {
    received_texts_received: 'deleteOldReceivedTexts',
  },
  'erasure/store/contents.ts': {
    idempotency_keys_object: 'lockResponses',
  },
  'erasure/store/erasures.ts': {
    intros_erasure: 'listIntroIds',
    recipient_erasures_due: 'listDue',
  },
  'erasure/store/intro-data.ts': {
    touchpoint_events_erasure: 'listErasedAfter',
  },
  'events/store/list.ts': {
    touchpoint_events_reference: 'selectPage',
    touchpoint_events_touchpoint: 'selectPage',
  },
  'events/store/processing.ts': {
    touchpoint_events_accepted: 'FIND_WAITING',
  },
  'events/store/search.ts': {
    touchpoint_events_failed: 'plan',
  },
  'idempotency/store.ts': {
    idempotency_keys_linked: 'REMOVE_LINKS',
  },
  'intros/store/declines.ts': {
    intro_declines_member: 'DECLINE',
    intro_declines_newest: 'listOpenDeclines',
  },
  'intros/store/list.ts': {
    intros_metadata: 'findPairs',
  },
  'intros/store/member-tasks.ts': {
    intros_to_record: 'listToRecord',
  },
  'intros/store/newest.ts': {
    intros_member: 'planScan',
    intros_reference: 'planScan',
    intros_status: 'planScan',
    intros_touchpoint_status: 'planScan',
  },
  'intros/store/replies.ts': {
    intro_replies_newest: 'listNewestReplies',
  },
  'intros/store/search.ts': {
    intros_event: 'matches',
    intros_first_name: 'matches',
    intros_last_name: 'matches',
    intros_number: 'matches',
  },
  'intros/store/sorted.ts': {
    intros_due: 'readByDeadline',
  },
  'intros/store/transitions.ts': {
    intros_expiry: 'moveToExpired',
  },
  'likeness/store.ts': {
    likeness_consents_given: 'insertConsent',
    likeness_consents_member: 'listConsents',
    likeness_removals_pending: 'claimRemoval',
    members_withdrawn: 'reopenRemovals',
  },
  'link-domains/store.ts': {
    link_domains_due: 'claimDue',
    link_domains_host: 'insertDomain',
    link_domains_owner: 'verifyDomain',
  },
  'links/store.ts': {
    links_hash: 'findLink',
    replaced_links_hash: 'findReplacedLink',
  },
  'members/store.ts': {
    members_email: 'RESOLVE_MEMBER',
    members_external_id: 'RESOLVE_MEMBER',
  },
  'recordings/store/files.ts': {
    recordings_files: 'findDueFileChecks',
    recordings_originals: 'findOldOriginals',
  },
  'recordings/store/likeness.ts': {
    intro_reassignments_from: 'theirs',
    recordings_intro: 'theirs',
  },
  'recordings/store/queue.ts': {
    recordings_under_way: 'claimNext',
    recordings_unpreviewed: 'claimUnpreviewed',
  },
  'retention/store/parts.ts': {
    idempotency_keys_stored: 'RESPONSES',
    listed_intros_intro: 'INTROS',
    recordings_kept: 'VIDEOS',
  },
  'touchpoints/store.ts': {
    touchpoints_slug: 'findTouchpoint',
  },
  'touchpoints/store/history.ts': {
    touchpoint_changes_touchpoint: 'listChanges',
  },
  'traces/store.ts': {
    traces_age: 'deleteOldTraces',
  },
  'webhooks/store/clear-contents.ts': {
    webhook_attempts_clear: 'TAKE_ANSWERS',
    webhook_messages_clear: 'TAKE_PAYLOADS',
  },
  'webhooks/store/deliveries.ts': {
    webhook_deliveries_failed: 'redeliver',
  },
  'webhooks/store/messages.ts': {
    webhook_attempts_message: 'selectMessages',
    webhook_messages_type: 'listMessages',
  },
  'webhooks/store/object-webhooks.ts': {
    webhook_messages_object: 'listObjectWebhooks',
  },
  'webhooks/store/queue.ts': {
    webhook_deliveries_waiting: 'FIND_DUE',
  },
};

const TABLE = 'scripts/index-purposes.ts';

/** Problems of the table above: an index that it lacks or that no longer exists, and a statement that does not read its table. */
export function findIndexesWithoutPurpose(
  schema: string,
  sources: readonly { readonly path: string; readonly text: string }[],
  indexes = INDEXES,
): string[] {
  const tables = new Map(
    [...schema.matchAll(/^create (?:unique )?index (\w+) on public\.(\w+)/gim)].map(([, index = '', table = '']) => [
      index,
      table,
    ]),
  );
  const named = Object.values(indexes).flatMap((statements) => Object.keys(statements));
  const problems = [...tables.keys()]
    .filter((index) => !named.includes(index))
    .map((index) => `${TABLE}: the index ${index} names no statement that needs it`);
  for (const [store, statements] of Object.entries(indexes)) {
    const text = sources.find(({ path }) => path === `packages/server/src/${store}`)?.text ?? '';
    for (const [index, statement] of Object.entries(statements)) {
      const table = tables.get(index);
      if (table === undefined) problems.push(`${TABLE}: there is no index ${index}`);
      else if (!new RegExp(`^(?:export )?(?:async )?(?:function|const) ${statement}\\b`, 'm').test(text)) {
        problems.push(`${TABLE}: ${store} has no ${statement}, which should need ${index}`);
      } else if (!new RegExp(`\\b${table}\\b`).test(text)) {
        problems.push(`${TABLE}: ${store} does not read ${table}, the table of ${index}`);
      }
    }
  }
  return problems;
}
