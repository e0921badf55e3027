import type { ConsoleRetention, RetentionRule } from '@foreword/contract';
import { RETENTION_POLICIES } from '@foreword/contract/plain/retention';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { call } from '../../api.ts';
import { ApiFailure, fieldProblem } from '../../failure.ts';
import { Button } from '../../parts/button.tsx';
import { Card, DefinitionList } from '../../parts/card.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { FormProblem } from '../../parts/form-problem.tsx';
import { Input } from '../../parts/input.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { useAction } from '../../queries.ts';
import { FAILURE, PARTS } from '../../texts/common.ts';
import { RETENTION } from '../../texts/retention.ts';
import { useDebounced } from '../../use-debounced.ts';

const TOPIC = 'retention';
const TYPING_PAUSE_MS = 300;

/** Says how many objects the chosen days would remove, and when. */
function Preview({ rule, days }: { rule: RetentionRule; days: number }) {
  const preview = useQuery({
    queryKey: [TOPIC, 'preview', rule, days],
    queryFn: ({ signal }) => call('POST /retention/preview', { body: { rule, days } }, signal),
  });
  const { data } = preview;
  if (data === undefined) {
    if (preview.isPending) return <p className="field-hint">{RETENTION.counting}</p>;
    const retry = (
      <Button kind="quiet" small busy={preview.isFetching} onClick={() => void preview.refetch()}>
        {FAILURE.tryAgain}
      </Button>
    );
    return (
      <Notice tone="bad" title={RETENTION.notCounted} action={retry} live>
        {preview.error instanceof ApiFailure ? preview.error.message : FAILURE.unknown}
      </Notice>
    );
  }
  const { count, has_more: hasMore, effective_at: at } = data;
  if (count === 0) return <Notice live>{RETENTION.nothing}</Notice>;
  return (
    <Notice tone="warn" live>
      <p>
        {RETENTION.preview(rule, count, hasMore)}{' '}
        {at === null ? (
          RETENTION.soon
        ) : (
          <>
            {RETENTION.after} <Time at={at} style="dateTime" />. {RETENTION.undo}
          </>
        )}
      </p>
    </Notice>
  );
}

function ChangeDialog({ retention: { rule, days }, onClose }: { retention: ConsoleRetention; onClose: () => void }) {
  const form = useId();
  const policy = RETENTION_POLICIES[rule];
  const [typed, setTyped] = useState(String(days));
  const chosen = useDebounced(Number(typed), TYPING_PAUSE_MS);
  const isPossible = Number.isInteger(chosen) && chosen >= policy.min && chosen <= policy.max;
  const save = useAction({
    run: () => call('POST /retention', { body: { rule, days: Number(typed) } }),
    topics: [TOPIC, 'activity'],
    done: RETENTION.saved(policy.name),
    onDone: onClose,
    showsFailure: true,
  });
  const type = (next: string) => {
    save.reset();
    setTyped(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!save.isPending) save.mutate();
  };
  return (
    <Dialog
      open
      onOpenChange={(next) => next || onClose()}
      title={RETENTION.dialogTitle(policy.name)}
      actions={
        <>
          <Button kind="quiet" onClick={onClose}>
            {PARTS.cancel}
          </Button>
          <Button type="submit" form={form} busy={save.isPending}>
            {RETENTION.save}
          </Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={submit} noValidate>
        <FormProblem error={save.error} fields={['days']} />
        <Field
          label={RETENTION.days}
          hint={RETENTION.hint(policy.min, policy.max, policy.default)}
          error={fieldProblem(save.error, 'days')}
        >
          <Input type="number" inputMode="numeric" value={typed} onChange={type} />
        </Field>
        {isPossible && chosen !== days && <Preview rule={rule} days={chosen} />}
        <DefinitionList
          items={[
            [RETENTION.removes, policy.removes],
            [RETENTION.whyDefault(policy.default), policy.reason],
            [RETENTION.whyNotLess(policy.min), policy.minReason],
          ]}
        />
      </form>
    </Dialog>
  );
}

function Rules({ rules }: { rules: readonly ConsoleRetention[] }) {
  const [changed, setChanged] = useState<ConsoleRetention | null>(null);
  return (
    <>
      <ul className="list" aria-label={RETENTION.list}>
        {rules.map((retention) => {
          const { rule, days, effective_at: at, days_until_then: until } = retention;
          const { name, since } = RETENTION_POLICIES[rule];
          return (
            <li key={rule} className="list-row sign-in-row">
              <span className="row-text">
                <span className="row-main">{name}</span>
                <span className="row-more">
                  {RETENTION.kept(until ?? days, since)}
                  {at !== null && (
                    <>
                      {' · '}
                      {RETENTION.pending(days)} <Time at={at} style="dateTime" />
                    </>
                  )}
                </span>
              </span>
              <Button kind="quiet" small aria-label={RETENTION.changeRule(name)} onClick={() => setChanged(retention)}>
                {RETENTION.change}
              </Button>
            </li>
          );
        })}
      </ul>
      {changed !== null && <ChangeDialog retention={changed} onClose={() => setChanged(null)} />}
    </>
  );
}

/** For owners: how long each kind of data is kept. */
export function Retention() {
  const retention = useQuery({
    queryKey: [TOPIC],
    queryFn: ({ signal }) => call('GET /retention', {}, signal),
  });
  return (
    <Card title={RETENTION.title} lead={RETENTION.lead}>
      <Loaded query={retention}>{({ rules }) => <Rules rules={rules} />}</Loaded>
    </Card>
  );
}
