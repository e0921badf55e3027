/** Messages, sent and not sent. */

import type { Attention, ConsoleOutboxMessage } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Notice, PageHeader } from '../../parts/display.tsx';
import { Segmented, Select } from '../../parts/form.tsx';
import { EmptyList, Together } from '../../parts/states.tsx';
import { useSearchChange } from '../../search-params.ts';
import { NAV } from '../../texts.ts';
import { Message } from '../intros/messages.tsx';
import { Rows, useLiveList } from '../intros/rows.tsx';
import { MESSAGE_STATUS, PURPOSES } from '../intros/texts.ts';
import { attentionQuery } from '../overview/attention.tsx';
import { PausedTexts, textLimitsQuery } from './paused.tsx';

const route = getRouteApi('/messages');
const AUDIENCES = [
  { value: 'all', label: 'All' },
  { value: 'member', label: 'To members' },
  { value: 'recipient', label: 'To recipients' },
] as const;
type Status = ConsoleOutboxMessage['status'];
/** Leaves out scheduled and dropped messages, which no one received. */
const ATTEMPTED = 'sending,accepted,delivered,undelivered,failed';
const STATUSES = [
  { value: '' as const, label: 'Sent or not sent' },
  { value: 'any' as const, label: 'All, including scheduled' },
  ...(Object.keys(MESSAGE_STATUS) as Status[]).map((value) => ({ value, label: MESSAGE_STATUS[value] })),
];

const isOneOf = <T extends string>(values: readonly { readonly value: T }[], text: string | undefined): T | undefined =>
  values.find(({ value }) => value === text)?.value;

const statusesOf = (status: string | undefined): string | undefined =>
  status === undefined ? ATTEMPTED : status === 'any' ? undefined : status;

export function OutboxPage() {
  const search = route.useSearch();
  const list = useLiveList<ConsoleOutboxMessage>(['intros', 'outbox', search], (after, signal) =>
    call('GET /messages', { query: { audience: search.audience, status: statusesOf(search.status), after } }, signal),
  );
  const attention = useQuery(attentionQuery);
  const change = useSearchChange<typeof search>();
  return (
    <>
      <PageHeader title={NAV.messages} lead="Messages to members and recipients, newest first." />
      <Together queries={[textLimitsQuery, attentionQuery]}>
        <PausedTexts />
        <div className="wrap middle gap-12">
          <Segmented
            label="Sent to"
            value={isOneOf(AUDIENCES, search.audience) ?? 'all'}
            options={AUDIENCES}
            onChange={(audience) => change({ audience: audience === 'all' ? undefined : audience })}
          />
          <Select
            aria-label="Status"
            value={isOneOf(STATUSES, search.status) ?? ''}
            options={STATUSES}
            onChange={(status) => change({ status })}
          />
        </div>
        {attention.data?.items.some(isUnset) === true && (
          <Notice tone="warn" title="Texts are not being sent">
            No text provider is connected. Texts are stored here, but not sent.
          </Notice>
        )}
        <Rows
          list={list}
          label="Messages, newest first"
          render={(row) => <OutboxRow row={row} />}
          empty={
            <EmptyList search={search} none="No matching messages" icon="tray" title="No messages yet">
              The first message notifies a member when an intro is requested.
            </EmptyList>
          }
        />
      </Together>
    </>
  );
}

const isUnset = (item: Attention['items'][number]): boolean =>
  item.kind === 'carrier' && item.channel === 'text' && item.status === 'unset';

const OutboxRow = ({ row }: { row: ConsoleOutboxMessage }) => (
  <div className="entry">
    <Message
      message={row}
      name={`${PURPOSES[row.purpose]}: ${formatName(row.to)}`}
      more={<LinkButton to="/intros/$id" params={{ id: row.intro_id }} kind="plain" small label="Open intro" />}
    />
  </div>
);
