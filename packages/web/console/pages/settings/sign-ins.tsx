import type { ActiveSignIn } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Badge } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { useAction } from '../../queries.ts';
import { SETTINGS } from '../../texts/settings.ts';

const TOPIC = 'sign-ins';

function SignIn({ signIn }: { signIn: ActiveSignIn }) {
  const { id, device, is_this: isThis, last_seen_at: seenAt } = signIn;
  const end = useAction({
    run: () => call('DELETE /sessions/:id', { params: { id } }),
    topics: [TOPIC],
    done: SETTINGS.signedOutOf(device),
  });
  return (
    <li className="list-row sign-in-row">
      <span className="row-text">
        <span className="row-main">{device}</span>
        <span className="row-more">
          {SETTINGS.lastSeen} <Time at={seenAt} />
        </span>
      </span>
      {isThis ? (
        <Badge tone="good">{SETTINGS.here}</Badge>
      ) : (
        <Button
          kind="quiet"
          small
          busy={end.isPending}
          aria-label={SETTINGS.signOutOf(device)}
          onClick={() => end.mutate()}
        >
          {SETTINGS.signOut}
        </Button>
      )}
    </li>
  );
}

function SignOutButtons({ hasOthers }: { hasOthers: boolean }) {
  const [isLeaving, setLeaving] = useState(false);
  const others = useAction({
    run: () => call('POST /sessions/revoke-others', { body: {} }),
    topics: [TOPIC],
    done: SETTINGS.signedOutOthers,
  });
  const here = useAction({
    run: () => call('POST /session/sign-out'),
    onDone: () => {
      setLeaving(true);
      window.location.assign('/console/signin?out=1');
    },
  });
  return (
    <div className="form-actions">
      {hasOthers && (
        <Button kind="quiet" busy={others.isPending} onClick={() => others.mutate()}>
          {SETTINGS.signOutOthers}
        </Button>
      )}
      <Button kind="quiet" icon="leave" busy={here.isPending || isLeaving} onClick={() => here.mutate()}>
        {SETTINGS.signOutHere}
      </Button>
    </div>
  );
}

/** All browsers this member is signed in with. */
export function SignIns() {
  const signIns = useQuery({
    queryKey: [TOPIC],
    queryFn: ({ signal }) => call('GET /sessions', {}, signal),
  });
  return (
    <Card title={SETTINGS.signInsTitle} lead={SETTINGS.signInsLead}>
      <Loaded query={signIns}>
        {({ sessions }) => (
          <>
            <ul className="list" aria-label={SETTINGS.signInsList}>
              {sessions.map((signIn) => (
                <SignIn key={signIn.id} signIn={signIn} />
              ))}
            </ul>
            <SignOutButtons hasOthers={sessions.length > 1} />
          </>
        )}
      </Loaded>
    </Card>
  );
}
