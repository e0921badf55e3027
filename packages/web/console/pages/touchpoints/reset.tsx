import type { TouchpointDetail } from '@foreword/contract';
import { TOUCHPOINT_FIELDS } from '@foreword/contract/plain';
import { call } from '../../api.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { useAction } from '../../queries.ts';
import { HISTORY, TOUCHPOINT } from '../../texts/touchpoints.ts';
import { FieldValues } from './field-values.tsx';

interface ResetProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  detail: TouchpointDetail;
  onChanged: (detail: TouchpointDetail) => void;
}

/** The fields that differ from the industry's original. */
export const changedFromOriginal = ({ original, ...detail }: TouchpointDetail) =>
  original === null ? [] : TOUCHPOINT_FIELDS.filter((field) => field !== 'active' && detail[field] !== original[field]);

export function Reset({ open, onOpenChange, detail, onChanged }: ResetProps) {
  const { slug, version, original } = detail;
  const action = useAction({
    run: () => call('POST /touchpoints/:slug/reset', { params: { slug }, body: { version } }),
    done: TOUCHPOINT.resetDone,
    onDone(next) {
      onOpenChange(false);
      onChanged(next);
    },
    topics: ['touchpoints'],
    showsFailure: true,
  });
  return (
    <Confirm
      open={open}
      onOpenChange={onOpenChange}
      title={TOUCHPOINT.resetTitle}
      action={TOUCHPOINT.resetAction}
      busy={action.isPending}
      error={action.error}
      onConfirm={() => action.mutate()}
    >
      <p>{TOUCHPOINT.resetLead}</p>
      {changedFromOriginal(detail).map((field) => (
        <FieldValues
          key={field}
          field={field}
          values={[
            { label: HISTORY.from, value: detail[field] },
            { label: HISTORY.to, value: field === 'active' ? detail.active : (original?.[field] ?? null) },
          ]}
        />
      ))}
    </Confirm>
  );
}
