/** Folder: erasing a recipient. */

import type { ErasurePreview } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { formatPhone } from '../../format.ts';
import { FieldsDialog } from '../../parts/actions.tsx';
import { Notice } from '../../parts/display.tsx';
import { ErrorState } from '../../parts/states.tsx';
import { ERASURES } from './texts.ts';

export const ERASURES_TOPIC = 'erasures';

const preview = (phone: string, signal?: AbortSignal): Promise<ErasurePreview> =>
  call('POST /erasures/preview', { body: { phone } }, signal);

const AskForNumber = ({ onFound, onClose }: { onFound: (phone: string) => void; onClose: () => void }) => (
  <FieldsDialog
    title={ERASURES.title}
    submit="Continue"
    list={[
      {
        name: 'phone',
        label: 'Their phone number',
        hint: 'With the country code, unless it is a US or Canadian number.',
        kind: 'phone',
      },
    ]}
    initial={{ phone: '' }}
    run={({ phone }) => preview(phone)}
    staysOpen
    onDone={({ phone }) => onFound(phone)}
    onClose={onClose}
  />
);

function ConfirmErasure({ phone, onClose }: { phone: string; onClose: () => void }) {
  const found = useQuery({
    queryKey: ['erasure-preview', phone],
    queryFn: ({ signal }) => preview(phone, signal),
    staleTime: 0,
  });
  const { data } = found;
  return (
    <FieldsDialog
      title={`Erase ${formatPhone(phone)}?`}
      submit="Erase"
      kind="danger"
      list={[]}
      initial={{}}
      isDisabled={() => data === undefined}
      run={(_values, key) => call('POST /v1/recipients/erase', { body: { phone }, key })}
      topics={[ERASURES_TOPIC, 'intros', 'outbox', 'activity']}
      done="Erasing. This takes up to a minute."
      onClose={onClose}
    >
      {() => (
        <>
          {data !== undefined && (
            <div className="stack">
              <p>{data.intros === 0 ? ERASURES.none : ERASURES.found(data)}</p>
              {data.opted_out && <p>{ERASURES.optedOut}</p>}
              <Notice tone="warn">{ERASURES.removes}</Notice>
            </div>
          )}
          {found.isPending && <p role="status">Looking for this number…</p>}
          {found.isError && data === undefined && (
            <ErrorState error={found.error} retry={() => void found.refetch()} busy={found.isFetching} />
          )}
        </>
      )}
    </FieldsDialog>
  );
}

/** Erases a recipient by number. Without a number it asks for one. */
export function EraseDialog({ phone, onClose }: { phone?: string; onClose: () => void }) {
  // The intro that it comes from may lose its number while the dialog is open.
  const [chosen, choose] = useState(phone ?? null);
  if (chosen === null) return <AskForNumber onFound={choose} onClose={onClose} />;
  return <ConfirmErasure phone={chosen} onClose={onClose} />;
}
