import type { ConsoleTextRegistration } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { AnchorButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Loaded, SkeletonRows } from '../../parts/loaded.tsx';
import { Badge } from '../../parts/notice.tsx';
import { TEXT_LIMITS } from '../../texts/text-limits.ts';
import { registrationQuery } from './queries.ts';

function State({ registration, is_own: isOwn }: ConsoleTextRegistration) {
  if (registration === null) return <p>{TEXT_LIMITS.noRegistration}</p>;
  const { status, message, next } = registration;
  const { name, tone } = TEXT_LIMITS.registrationStates[status];
  return (
    <>
      <p>
        <Badge tone={tone}>{name}</Badge> {message}
      </p>
      {next !== null && (
        <p>
          {next} {!isOwn && TEXT_LIMITS.sharedAccount}
        </p>
      )}
      {(status === 'missing' || status === 'rejected') && (
        <div className="form-actions">
          <AnchorButton
            href="/docs/self-hosting/registration"
            target="_blank"
            rel="noreferrer"
            kind="quiet"
            icon="outside"
          >
            {TEXT_LIMITS.registrationGuide}
          </AnchorButton>
        </div>
      )}
    </>
  );
}

/** Whether mobile networks know the number that sends the texts, and what to do if they do not. */
export function RegistrationCard() {
  const query = useQuery(registrationQuery);
  return (
    <Card title={TEXT_LIMITS.registration} lead={TEXT_LIMITS.registrationLead}>
      <Loaded query={query} skeleton={<SkeletonRows rows={2} />}>
        {(loaded) => <State {...loaded} />}
      </Loaded>
    </Card>
  );
}
