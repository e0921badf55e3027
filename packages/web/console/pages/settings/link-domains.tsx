import type { LinkDomain } from '@foreword/contract';
import { MAX_LINK_DOMAINS } from '@foreword/contract/plain';
import { queryOptions } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { ActionButton, AskButton, FieldsButton } from '../../parts/actions.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { Badge, Card } from '../../parts/display.tsx';
import type { FieldInfo } from '../../parts/form.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { load } from '../../queries.ts';
import { useSession } from '../../session.ts';

const FAILURES: Readonly<Record<string, string>> = {
  taken: 'Another organization uses this domain and must remove it first.',
  name: 'The domain has no address. Create the record in step 2.',
  address: 'The domain points to a private network.',
  certificate: 'The certificate of the domain isn’t valid. Ask your administrator to set it up.',
  timeout: 'The domain didn’t respond in time.',
  wrong_server: 'The domain points to another server. Check the record in step 2.',
};

const LINK_DOMAINS = {
  lead: (serviceHost: string) =>
    `Recipients’ links start with your own domain instead of ${serviceHost}. A short name, such as go.example.com, makes short links.`,
  add: 'Add domain',
  states: {
    pending: {
      name: 'Not verified',
      tone: 'warn',
      explain: 'Do both steps at your DNS provider. We check every few seconds at first, then less often.',
    },
    verified: {
      name: 'Not reachable yet',
      tone: 'warn',
      explain: 'The domain is yours. New links use it once it points here.',
    },
    active: { name: 'Active', tone: 'good', explain: 'New links use this domain.' },
    failing: {
      name: 'Failing',
      tone: 'bad',
      explain: 'The domain no longer points here. After 10 minutes, new links use the address of the service.',
    },
  },
  recordName: 'Name',
  recordValue: 'Value',
  remove: 'Remove',
  removeLead: (serviceHost: string) => `New links start with ${serviceHost}, or with another active domain.`,
  removeKept: 'Links that you already sent keep working for as long as the domain points here. Keep its CNAME record.',
} as const;

const TOPIC = 'link-domains';
/** A check takes a few seconds, and no live update reports its result. */
const POLL_MS = 3_000;
const TOPICS = [TOPIC, 'activity'];

const HOST: FieldInfo<{ host: string }> = {
  ...{ name: 'host', label: 'Domain', hint: 'Use a name that serves nothing else, such as go.example.com.' },
  input: { inputMode: 'url', autoCapitalize: 'none', spellCheck: false },
};

const AddButton = () => (
  <FieldsButton
    button={{ icon: 'plus', label: LINK_DOMAINS.add }}
    title="Add a link domain"
    submit={LINK_DOMAINS.add}
    list={[HOST]}
    initial={{ host: '' }}
    run={(body, key) => call('POST /v1/link-domains', { body, key })}
    topics={TOPICS}
    done="Domain added"
  />
);

interface DomainProps {
  domain: LinkDomain;
  serviceHost: string;
}

const RemoveButton = ({ domain: { id, host, verified_at: verifiedAt }, serviceHost }: DomainProps) => (
  <AskButton
    button={{ small: true, label: LINK_DOMAINS.remove, 'aria-label': `Remove ${host}` }}
    title={`Remove ${host}?`}
    action={LINK_DOMAINS.remove}
    danger
    run={() => call('DELETE /v1/link-domains/{id}', { params: { id } })}
    topics={TOPICS}
    done="Domain removed"
  >
    {verifiedAt === null ? (
      <p>It was never verified, so no link uses it.</p>
    ) : (
      <>
        <p>{LINK_DOMAINS.removeLead(serviceHost)}</p>
        <p>{LINK_DOMAINS.removeKept}</p>
      </>
    )}
  </AskButton>
);

function Steps({ domain: { host, points_to: target, verification, verified_at: verifiedAt } }: { domain: LinkDomain }) {
  const { dns, http } = verification;
  return (
    <>
      {verifiedAt === null && (
        <section className="grid gap-8">
          <h4>1. Prove that the domain is yours</h4>
          <p className="hint">Create this TXT record:</p>
          <CopyField label={LINK_DOMAINS.recordName} text={dns.name} />
          <CopyField label={LINK_DOMAINS.recordValue} text={dns.value} />
          <CopyField label="Or publish the value as a file" text={http.url} />
        </section>
      )}
      <section className="grid gap-8">
        <h4>2. Point the domain here</h4>
        <p className="hint">Create this CNAME record:</p>
        <CopyField label={LINK_DOMAINS.recordName} text={host} />
        <CopyField label={LINK_DOMAINS.recordValue} text={target} />
      </section>
    </>
  );
}

function LastCheck({ domain: { checked_at: at, failure } }: { domain: LinkDomain }) {
  if (at === null) return <p className="hint">Not checked yet.</p>;
  return (
    <p className="hint">
      Last check: <Time at={at} />.{' '}
      {failure === null ? 'No problems found' : (FAILURES[failure.code] ?? failure.message)}
    </p>
  );
}

function Domain({ domain, serviceHost }: DomainProps) {
  const { id, host, state, checked_at: checkedAt } = domain;
  const { name, tone, explain } = LINK_DOMAINS.states[state];
  // Busy until the result arrives. The server waits 5 seconds between two checks.
  const [requestedAfter, setRequestedAfter] = useState<string | null | undefined>(undefined);
  return (
    <li className="list-row entry grid gap-12">
      <h3>
        {host} <Badge tone={tone}>{name}</Badge>
      </h3>
      <p aria-live="polite">{explain}</p>
      {state !== 'active' && <Steps domain={domain} />}
      <LastCheck domain={domain} />
      <div className="form-actions">
        <ActionButton
          small
          busy={requestedAfter === checkedAt}
          label="Check now"
          aria-label={`Check now: ${host}`}
          run={() => call('POST /v1/link-domains/{id}/check', { params: { id } })}
          topics={TOPICS}
          onDone={() => setRequestedAfter(checkedAt)}
        />
        <RemoveButton domain={domain} serviceHost={serviceHost} />
      </div>
    </li>
  );
}

export const LINK_DOMAINS_QUERY = queryOptions({
  ...load([TOPIC], 'GET /v1/link-domains', { query: { limit: MAX_LINK_DOMAINS } }),
  refetchInterval: ({ state }) => ((state.data?.data.length ?? 0) > 0 ? POLL_MS : false),
});

/** For owners: the domains that recipients' links start with. */
export function LinkDomains() {
  const serviceHost = new URL(useSession().public_url).host;
  return (
    <Card title="Link domain" lead={LINK_DOMAINS.lead(serviceHost)}>
      <Loaded query={LINK_DOMAINS_QUERY}>
        {({ data: domains }) => (
          <>
            {domains.length === 0 ? (
              <p>No domain yet.</p>
            ) : (
              <ul className="list" aria-label="Link domains">
                {domains.map((domain) => (
                  <Domain key={domain.id} domain={domain} serviceHost={serviceHost} />
                ))}
              </ul>
            )}
            {domains.length < MAX_LINK_DOMAINS && <AddButton />}
          </>
        )}
      </Loaded>
    </Card>
  );
}
