import type { ApiKey } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState, Loaded } from '../../parts/loaded.tsx';
import { Badge } from '../../parts/notice.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time, useNowMs } from '../../parts/time.tsx';
import { KEYS } from '../../texts/developers.ts';
import { CreateKey, RevokeKey } from './key-dialogs.tsx';

/** Shows the first use of a new key without a reload. */
const REFRESH_MS = 5_000;

const columns = (onRevoke: (key: ApiKey) => void): readonly Column<ApiKey>[] => [
  { name: KEYS.columnName, main: true, render: ({ name }) => name },
  { name: KEYS.columnEnding, render: ({ ending }) => <code>…{ending}</code> },
  { name: KEYS.columnCreated, render: ({ created_at }) => <Time at={created_at} style="date" /> },
  {
    name: KEYS.columnUsed,
    render: ({ last_used_at }) => (last_used_at === null ? KEYS.neverUsed : <Time at={last_used_at} />),
  },
  {
    name: KEYS.columnActions,
    tools: true,
    render: (key) =>
      key.revoked_at === null ? (
        <Button kind="quiet" small aria-label={KEYS.revokeKey(key.name)} onClick={() => onRevoke(key)}>
          {KEYS.revoke}
        </Button>
      ) : (
        <Badge>{KEYS.revoked}</Badge>
      ),
  },
];

export function KeysPage() {
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  const nowMs = useNowMs();
  const query = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => call('GET /keys', {}, signal),
    refetchInterval: REFRESH_MS,
  });
  const createButton = (
    <Button icon="plus" onClick={() => setCreating(true)}>
      {KEYS.create}
    </Button>
  );
  return (
    <>
      <PageHeader title={KEYS.title} lead={KEYS.lead} actions={createButton} />
      <Loaded query={query}>
        {({ keys }) =>
          keys.length === 0 ? (
            <EmptyState title={KEYS.empty} icon="key">
              {KEYS.emptyLead}
            </EmptyState>
          ) : (
            <Table
              caption={KEYS.list}
              columns={columns(setRevoked)}
              rows={keys.toSorted((a, b) => Number(a.revoked_at !== null) - Number(b.revoked_at !== null))}
              keyOf={({ id }) => id}
            />
          )
        }
      </Loaded>
      <CreateKey open={isCreating} onClose={() => setCreating(false)} />
      <RevokeKey revoked={revoked} nowMs={nowMs} onClose={() => setRevoked(null)} />
    </>
  );
}
