/** Folder: erasing a recipient. */

import type { ConsoleErasure } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Badge, Card, RowText } from '../../parts/display.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Moment } from '../../parts/time.tsx';
import { ERASURES_TOPIC, EraseDialog } from './dialog.tsx';
import { ERASURES } from './texts.ts';

/** While an erasure is in progress. */
const POLL_MS = 2_000;

const isProcessing = ({ status }: ConsoleErasure): boolean => status === 'processing';

const Receipts = ({ erasures }: { erasures: readonly ConsoleErasure[] }) =>
  erasures.length === 0 ? (
    <p className="lead card-lead">{ERASURES.empty}</p>
  ) : (
    <ul className="list" aria-label={ERASURES.list}>
      {erasures.map((erasure) => (
        <li key={erasure.id} className="list-row line gap-16 sign-in-row">
          <RowText main={<Moment at={erasure.created_at} />}>
            {ERASURES.receipt(erasure.removed)} · <code>{erasure.id}</code>
          </RowText>
          <Badge tone={isProcessing(erasure) ? 'info' : 'good'}>
            {isProcessing(erasure) ? ERASURES.processing : ERASURES.completed}
          </Badge>
        </li>
      ))}
    </ul>
  );

/** For owners: erase a recipient, and the receipts of earlier erasures. */
export function Erasures() {
  const [isOpen, setOpen] = useState(false);
  const erasures = useQuery({
    queryKey: [ERASURES_TOPIC],
    queryFn: ({ signal }) => call('GET /erasures', {}, signal),
    refetchInterval: ({ state }) => (state.data?.erasures.some(isProcessing) ? POLL_MS : false),
  });
  return (
    <Card title={ERASURES.title} lead={ERASURES.lead}>
      <Loaded query={erasures}>{(loaded) => <Receipts erasures={loaded.erasures} />}</Loaded>
      <div className="form-actions">
        <Button kind="quiet" onClick={() => setOpen(true)}>
          {ERASURES.open}
        </Button>
      </div>
      {isOpen && <EraseDialog onClose={() => setOpen(false)} />}
    </Card>
  );
}
