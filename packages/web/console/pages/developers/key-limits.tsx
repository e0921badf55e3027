import type { ApiKey } from '@foreword/contract';
import { KEY_SCOPES, type KeyScope } from '@foreword/contract/plain';
import { useState } from 'react';
import { fieldProblem } from '../../failure.ts';
import { nowMs, readZonedTime, toZonedTime, zoneName } from '../../format.ts';
import { Checkbox, RadioGroup } from '../../parts/choices.tsx';
import { Field } from '../../parts/field.tsx';
import { Input, TextArea } from '../../parts/input.tsx';
import { Select } from '../../parts/select.tsx';
import { useNowMs, useZone } from '../../parts/time.tsx';
import { KEYS } from '../../texts/developers.ts';

const DAY_MS = 86_400_000;
/** The initial value of the date field. */
const SUGGESTED_DAYS = 90;

const CHOICES = ['never', '30', '90', '365', 'date'] as const;
type Choice = (typeof CHOICES)[number];

/** The limits of a key as the form shows them. */
export interface LimitsDraft {
  readonly scope: KeyScope;
  readonly recordingLinks: boolean;
  readonly agentWrites: boolean;
  readonly choice: Choice;
  /** Fixed when it is chosen, so that a retry sends the same time. */
  readonly expiresAt: string | null;
  /** One address or network per line. */
  readonly allowedIps: string;
}

export const NO_LIMITS: LimitsDraft = {
  scope: 'full',
  recordingLinks: false,
  agentWrites: false,
  choice: 'never',
  expiresAt: null,
  allowedIps: '',
};

export const limitsOf = ({
  scope,
  recording_links: recordingLinks,
  agent_writes: agentWrites,
  expires_at: expiresAt,
  allowed_ips: allowedIps,
}: ApiKey): LimitsDraft => ({
  scope,
  recordingLinks,
  agentWrites,
  choice: expiresAt === null ? 'never' : 'date',
  expiresAt,
  allowedIps: allowedIps.join('\n'),
});

export const toLimits = ({ scope, recordingLinks, agentWrites, expiresAt, allowedIps }: LimitsDraft) => ({
  scope,
  recording_links: scope === 'full' && recordingLinks,
  agent_writes: scope !== 'read' && agentWrites,
  expires_at: expiresAt,
  allowed_ips: [...new Set(allowedIps.split(/[\s,]+/).filter((line) => line !== ''))],
});

export const LIMIT_FIELDS = ['expires_at', 'allowed_ips'] as const;

interface LimitFieldsProps {
  draft: LimitsDraft;
  onChange: (draft: LimitsDraft) => void;
  error: unknown;
}

export function LimitFields({ draft, onChange, error }: LimitFieldsProps) {
  const zone = useZone();
  const now = useNowMs();
  const [typed, setTyped] = useState(draft.expiresAt === null ? '' : toZonedTime(draft.expiresAt, zone));
  const type = (text: string) => {
    setTyped(text);
    onChange({ ...draft, choice: 'date', expiresAt: readZonedTime(text, zone) ?? null });
  };
  const inDays = (days: number) => new Date(nowMs() + days * DAY_MS).toISOString();
  const choose = (choice: Choice) => {
    if (choice === 'date') type(typed === '' ? toZonedTime(inDays(SUGGESTED_DAYS), zone) : typed);
    else onChange({ ...draft, choice, expiresAt: choice === 'never' ? null : inDays(Number(choice)) });
  };
  const isDateMissing = draft.choice === 'date' && draft.expiresAt === null;
  return (
    <>
      <Field group label={KEYS.scope}>
        <RadioGroup
          value={draft.scope}
          options={KEY_SCOPES.map((value) => ({
            value,
            label: KEYS.scopeChoices[value].name,
            hint: KEYS.scopeChoices[value].hint,
          }))}
          onChange={(scope) => onChange({ ...draft, scope })}
        />
      </Field>
      {draft.scope === 'full' && (
        <Checkbox
          label={KEYS.recordingLinks}
          hint={KEYS.recordingLinksHint}
          checked={draft.recordingLinks}
          onChange={(recordingLinks) => onChange({ ...draft, recordingLinks })}
        />
      )}
      {draft.scope !== 'read' && (
        <Checkbox
          label={KEYS.agentWrites}
          hint={KEYS.agentWritesHint}
          checked={draft.agentWrites}
          onChange={(agentWrites) => onChange({ ...draft, agentWrites })}
        />
      )}
      <Field label={KEYS.expires} error={draft.choice === 'date' ? undefined : fieldProblem(error, 'expires_at')}>
        <Select
          value={draft.choice}
          options={CHOICES.map((value) => ({ value, label: KEYS.expiryChoices[value] }))}
          onChange={choose}
        />
      </Field>
      {draft.choice === 'date' && (
        <Field
          label={KEYS.expiryDate}
          hint={KEYS.expiryDateHint(zoneName(zone, now))}
          error={isDateMissing ? KEYS.expiryDateMissing : fieldProblem(error, 'expires_at')}
        >
          <Input type="datetime-local" required value={typed} onChange={type} />
        </Field>
      )}
      <Field optional label={KEYS.allowedIps} hint={KEYS.allowedIpsHint} error={fieldProblem(error, 'allowed_ips')}>
        <TextArea
          value={draft.allowedIps}
          spellCheck={false}
          onChange={(allowedIps) => onChange({ ...draft, allowedIps })}
        />
      </Field>
    </>
  );
}

/** "Read only · Expires in 6 days", below the key's name. */
export function LimitsSummary({ of: key }: { of: ApiKey }) {
  const { scope, expires_at: expiresAt, allowed_ips: allowedIps } = key;
  const now = useNowMs();
  const parts = [
    KEYS.scopeChoices[scope].name,
    key.recording_links && KEYS.withRecordingLinks,
    key.agent_writes && KEYS.withAgentWrites,
    expiresAt !== null && KEYS.expiry(expiresAt, now),
    allowedIps.length > 0 && KEYS.onlyFrom(allowedIps),
  ].filter((part) => part !== false);
  return <span className="row-more key-limits">{parts.join(' · ')}</span>;
}

export const isExpired = ({ expires_at: expiresAt }: ApiKey, atMs: number): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= atMs;
