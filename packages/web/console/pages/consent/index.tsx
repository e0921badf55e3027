/** Opt-outs. */

import type { ConsentChange, ConsentImport, ConsentSource, ConsoleIntroRow } from '@foreword/contract';
import { CONSENT_REASON_MAX_LENGTH } from '@foreword/contract/plain';
import { decodeText } from '@foreword/contract/plain/decode-text';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { FieldsButton } from '../../parts/actions.tsx';
import { Card, Notice } from '../../parts/display.tsx';
import { FilePicker } from '../../parts/file-picker.tsx';
import { showToast } from '../../parts/overlays.tsx';
import { Moment } from '../../parts/time.tsx';
import { load, useAction } from '../../queries.ts';
import { useMay } from '../../session.ts';

const OPTED_OUT: Record<ConsentSource, string> = {
  text: 'Opted out by text',
  page: 'Stopped texts on the video page',
  carrier: 'Opted out with the carrier',
  api: 'Opted out with the API',
  team: 'Stopped by your team',
  operator: 'Opted out',
  import: 'Opted out, from a file',
};

const KINDS: Partial<Record<ConsentChange['kind'], string>> = {
  asked: 'Was asked whether to stop texts',
  answered: 'Replied, and did not stop texts',
};

const CONSENT = {
  /** Why the team cannot undo it. */
  onlyStart: (name: string) => `${name} opted out by text. Carriers block texts until ${name} replies START.`,
  change: ({ kind, source }: ConsentChange) =>
    kind === 'opt_in'
      ? source === 'text'
        ? 'Replied START'
        : 'Texts allowed again'
      : (KINDS[kind] ?? OPTED_OUT[source]),
  allowing: {
    button: 'Allow texts again',
    title: (name: string) => `Allow texts to ${name} again?`,
    lead: (name: string) =>
      `Only do this if ${name} asked for it: texting people who opted out is against the law in many places.`,
    missing: 'Enter who asked for texts again.',
    confirm: 'Allow texts',
    done: (name: string) => `${name} can be texted again.`,
  },
  stopping: {
    button: 'Stop texts',
    title: (name: string) => `Stop texts to ${name}?`,
    lead: (name: string) =>
      `Use this if ${name} asked for no more texts on the phone or by email. Nothing is texted from then on.`,
    missing: 'Enter who asked for no more texts.',
    confirm: 'Stop texts',
    done: (name: string) => `${name} gets no more texts.`,
  },
  importLead:
    'Choose a CSV file with a column “phone”, and perhaps “reason”. None of these numbers is texted from then on.',
  imported: ({ added, already }: ConsentImport) => `${added} opted out, ${already} had already opted out`,
  problems: (lines: readonly number[]) => `No phone number in these lines: ${lines.join(', ')}.`,
  askedByHint: (name: string) => `Such as “${name}, on the phone”. It is recorded with your name.`,
} as const;

type Recipient = ConsoleIntroRow['recipient'];

export const useConsent = (phone: string) =>
  useQuery({
    ...load(['intros', 'consent', phone], 'GET /consent', { query: { phone } }),
    // An erased recipient has no number.
    enabled: phone !== '',
  });

const ACTIONS = {
  'POST /v1/recipients/opt_in': CONSENT.allowing,
  'POST /v1/recipients/opt_out': CONSENT.stopping,
};

/** Asks who wanted it, which is the evidence. */
function ChangeButton({ recipient, action }: { recipient: Recipient; action: keyof typeof ACTIONS }) {
  const words = ACTIONS[action];
  const { phone, first_name: firstName } = recipient;
  const name = formatName(recipient);
  return (
    <FieldsButton
      button={{ small: true, label: words.button }}
      title={words.title(name)}
      lead={words.lead(name)}
      submit={words.confirm}
      list={[
        {
          ...{ name: 'reason', label: 'Who asked, and how?', hint: CONSENT.askedByHint(firstName) },
          ...{ missing: words.missing, most: CONSENT_REASON_MAX_LENGTH },
        },
      ]}
      initial={{ reason: '' }}
      run={({ reason }, key) => call(action, { body: { phone, reason }, key })}
      topics={['intros']}
      done={words.done(name)}
    />
  );
}

/** Says that the recipient opted out, and offers to undo it where that can work. */
export function OptOutNotice({ recipient }: { recipient: Recipient }) {
  const { data } = useConsent(recipient.phone);
  const optOut = data?.opted_out ?? null;
  const name = formatName(recipient);
  if (optOut === null) return null;
  return (
    <Notice
      tone="warn"
      title={`${name} opted out of texts`}
      action={optOut.can_be_undone && <ChangeButton recipient={recipient} action="POST /v1/recipients/opt_in" />}
    >
      {optOut.can_be_undone ? `If ${name} asked for texts again, you can allow them.` : CONSENT.onlyStart(name)}
    </Notice>
  );
}

/** The button next to a number, for a recipient who asked for no more texts on the phone or by email. */
export function StopTexts({ recipient }: { recipient: Recipient }) {
  const mayStop = useMay('manager');
  const { data } = useConsent(mayStop ? recipient.phone : '');
  if (data === undefined || data.opted_out !== null) return null;
  return <ChangeButton recipient={recipient} action="POST /v1/recipients/opt_out" />;
}

/** Larger files are rejected before they are read. */
const MAX_BYTES = 1_000_000;

/** Opts out every number of a CSV file. */
export function ImportOptOuts() {
  const [done, setDone] = useState<ConsentImport | null>(null);
  const importing = useAction({
    run: async (file: File) =>
      call('POST /consent/import', { body: { text: decodeText(new Uint8Array(await file.arrayBuffer())) } }),
    topics: ['intros'],
    onDone: setDone,
  });
  return (
    <Card title="Import opt-outs" lead={CONSENT.importLead}>
      <FilePicker
        label="Choose file"
        accept=".csv,text/csv,text/plain"
        busy={importing.isPending}
        onChoose={(file) =>
          file.size > MAX_BYTES
            ? showToast({ kind: 'bad', text: 'This file is larger than 1 MB. Split it into several files.' })
            : importing.mutate(file)
        }
      />
      {done !== null && (
        <Notice tone={done.problems.length === 0 ? 'good' : 'warn'} title={CONSENT.imported(done)}>
          {done.problems.length > 0 && CONSENT.problems(done.problems.map(({ line }) => line))}
        </Notice>
      )}
    </Card>
  );
}

/** How the recipient's consent changed; nothing for most recipients, who never opted out. */
export function ConsentHistory({ recipient }: { recipient: Recipient }) {
  const { data } = useConsent(recipient.phone);
  if (data === undefined || data.history.length === 0) return null;
  return (
    <Card title="Consent to texts">
      <ol className="grid">
        {data.history.map((change) => (
          <li key={`${change.kind} ${change.at}`} className="grid gap-4 intro-step">
            <span>{CONSENT.change(change)}</span>
            <span className="hint">
              <Moment at={change.at} />
              {change.by !== null && ` · by ${formatName(change.by)}`}
              {change.said !== null && ` · “${change.said}”`}
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
