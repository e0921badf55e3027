import type { TouchpointFit } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Notice } from '../../parts/notice.tsx';
import { TOUCHPOINT } from '../../texts/touchpoints.ts';
import { useRested } from './draft.ts';

const REST_MS = 900;
/** More would be a list of its own; the number says how many there are. */
const SHOWN = 8;

/** A little longer is nothing to worry about; being cut off is. */
function Verdict({ fit }: { fit: TouchpointFit }) {
  const { over, active_members: active, limit_seconds: limit, end_seconds: end, checked, words, max_words } = fit;
  const rest = checked < active && <> {TOUCHPOINT.fitChecked(checked)}</>;
  const cutOff = over.filter(({ seconds }) => seconds > end).length;
  if (cutOff > 0) {
    return (
      <Notice tone="warn">
        {TOUCHPOINT.fitCutOff(cutOff, active, end)}
        {rest}
      </Notice>
    );
  }
  if (over.length === 0) {
    return (
      <Notice tone="good">
        {TOUCHPOINT.fitAll(active, limit)}
        {rest}
      </Notice>
    );
  }
  const isLong = words > max_words;
  return (
    <Notice tone={isLong ? 'warn' : 'info'}>
      {TOUCHPOINT.fitOver(over.length, active, limit)} {isLong ? TOUCHPOINT.fitShorten : TOUCHPOINT.fitFine(end)}
      {rest}
    </Notice>
  );
}

/** Who of the team would not get the script said in time. */
export function FitTest({ script: draft }: { script: string }) {
  const script = useRested(draft, REST_MS);
  const query = useQuery({
    queryKey: ['members', 'touchpoint-fit', script],
    queryFn: ({ signal }) => call('POST /touchpoint-fit', { body: { script } }, signal),
    placeholderData: (earlier) => earlier,
  });
  const known = query.data;
  const lead = known === undefined ? undefined : TOUCHPOINT.fitLead(known.longest_recipient, known.longest_member);
  return (
    <Card title={TOUCHPOINT.fitTitle} lead={lead}>
      <Loaded query={query}>
        {(fit) => {
          const { over, problem } = fit;
          if (problem !== null) return <Notice tone="warn">{TOUCHPOINT.fitBroken}</Notice>;
          if (fit.active_members === 0) return <Notice>{TOUCHPOINT.fitNobody}</Notice>;
          return (
            <>
              <Verdict fit={fit} />
              {over.length > 0 && (
                <ul className="fit" aria-label={TOUCHPOINT.fitList}>
                  {over.slice(0, SHOWN).map((one) => (
                    <li key={one.id}>
                      <Link to="/members/$id" params={{ id: one.id }} className="fit-name">
                        {one.name}
                      </Link>
                      <span className="fit-pace">{TOUCHPOINT.fitPace(one.words_per_minute, one.is_own_pace)}</span>
                      <strong>{TOUCHPOINT.fitSeconds(one.seconds)}</strong>
                    </li>
                  ))}
                  {over.length > SHOWN && <li className="fit-pace">{TOUCHPOINT.fitMore(over.length - SHOWN)}</li>}
                </ul>
              )}
              <p className="fit-pace">{TOUCHPOINT.fitLongest(fit.words, fit.seconds, fit.default_words_per_minute)}</p>
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
