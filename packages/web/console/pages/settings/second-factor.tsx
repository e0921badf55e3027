import type { SecondFactor } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Time, useNowMs } from '../../parts/time.tsx';
import { useAction } from '../../queries.ts';
import { SECOND_FACTOR } from '../../texts/passkeys.ts';

const TOPIC = 'second-factor';

function Content({ setting: { required_from: from, missing } }: { setting: SecondFactor }) {
  const nowMs = useNowMs();
  const change = useAction({
    run: (required: boolean) => call('POST /second-factor', { body: { required } }),
    topics: [TOPIC, 'session'],
    done: ({ required_from: now }) => (now === null ? SECOND_FACTOR.turnedOff : SECOND_FACTOR.turnedOn),
  });
  return (
    <>
      <p>
        {from === null && SECOND_FACTOR.off}
        {from !== null && (
          <>
            {Date.parse(from) > nowMs ? SECOND_FACTOR.requiredFrom : SECOND_FACTOR.requiredSince}{' '}
            <Time at={from} style="dateTime" />
          </>
        )}
      </p>
      <p>{missing.length === 0 ? SECOND_FACTOR.everyone : SECOND_FACTOR.missing(missing.map(formatName))}</p>
      <div className="form-actions">
        <Button kind="quiet" busy={change.isPending} onClick={() => change.mutate(from === null)}>
          {from === null ? SECOND_FACTOR.on : SECOND_FACTOR.turnOff}
        </Button>
      </div>
    </>
  );
}

/** For owners: whether owners and managers need a passkey. */
export function RequirePasskeys() {
  const setting = useQuery({ queryKey: [TOPIC], queryFn: ({ signal }) => call('GET /second-factor', {}, signal) });
  return (
    <Card title={SECOND_FACTOR.title} lead={SECOND_FACTOR.lead}>
      <Loaded query={setting}>{(loaded) => <Content setting={loaded} />}</Loaded>
    </Card>
  );
}
