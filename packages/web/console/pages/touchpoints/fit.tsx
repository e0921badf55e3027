import { useQuery } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Notice } from '../../parts/notice.tsx';
import { TOUCHPOINT } from '../../texts/touchpoints.ts';
import { useRested } from './draft.ts';

const REST_MS = 900;
/** More would be a list of its own; the number says how many there are. */
const SHOWN = 8;

/** Who of the team would not get the script said in time. */
export function FitTest({ script: draft }: { script: string }) {
  const script = useRested(draft, REST_MS);
  const query = useQuery({
    queryKey: ['members', 'touchpoint-fit', script],
    queryFn: ({ signal }) => call('POST /touchpoint-fit', { body: { script } }, signal),
    placeholderData: (earlier) => earlier,
  });
  const fit = query.data;
  const lead = fit === undefined ? undefined : TOUCHPOINT.fitLead(fit.longest_recipient, fit.longest_member);
  return (
    <Card title={TOUCHPOINT.fitTitle} lead={lead}>
      <Loaded query={query}>
        {({ over, active_members: active, problem, checked, ...rest }) => {
          if (problem !== null) return <Notice tone="warn">{TOUCHPOINT.fitBroken}</Notice>;
          if (active === 0) return <Notice>{TOUCHPOINT.fitNobody}</Notice>;
          return (
            <>
              <Notice tone={over.length === 0 ? 'good' : 'warn'}>
                {over.length === 0 ? TOUCHPOINT.fitAll(active) : TOUCHPOINT.fitOver(over.length, active)}{' '}
                {checked < active && TOUCHPOINT.fitChecked(checked)}
              </Notice>
              {over.length > 0 && (
                <ul className="fit" aria-label={TOUCHPOINT.fitOver(over.length, active)}>
                  {over.slice(0, SHOWN).map((one) => (
                    <li key={one.id}>
                      <span className="fit-name">{one.name}</span>
                      <span className="fit-pace">{TOUCHPOINT.fitPace(one.words_per_minute, one.is_own_pace)}</span>
                      <strong>{TOUCHPOINT.fitSeconds(one.seconds)}</strong>
                    </li>
                  ))}
                  {over.length > SHOWN && <li className="fit-pace">{TOUCHPOINT.fitMore(over.length - SHOWN)}</li>}
                </ul>
              )}
              <p className="fit-pace">{TOUCHPOINT.fitLongest(rest.words, rest.seconds, rest.usual_words_per_minute)}</p>
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
