import type { HomeTask } from '@foreword/contract';
import { DAY_MS } from '@foreword/contract/plain/times';
import { sayHowSoon } from '../../../kit/how-soon.ts';
import { formatName, formatTime } from '../../format.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Icon } from '../../parts/display.tsx';
import { useNowMs, useZone } from '../../parts/time.tsx';
import { HOME } from './texts.ts';

/** Most videos are due at the appointment; such a deadline is not shown again. */
const differsFromAppointment = (deadline: string, appointment: { readonly starts_at: string } | null): boolean =>
  appointment === null || Date.parse(deadline) !== Date.parse(appointment.starts_at);

/** A relative path, so that it works under any host name. */
export const pathOf = (url: string): string => new URL(url).pathname;

const ACTIONS: Record<HomeTask['state'], string> = {
  to_record: 'Record',
  processing: 'Open',
  refused: 'Record again',
};

function TaskStatus({ task }: { task: HomeTask }) {
  if (task.state === 'processing') return <p>{HOME.processing(task.progress)}</p>;
  if (task.state === 'to_record') return null;
  return (
    <p className="line gap-8 bad-text">
      <Icon name="warn" />
      <span>This take can’t be used. {task.reason ?? 'Record it again.'}</span>
    </p>
  );
}

const SOON_MS = DAY_MS;

interface DateLineProps {
  at: string;
  zone: string;
  format: (when: string) => string;
}

/** A date and the time left; emphasized within a day. */
function DateLine({ at, zone, format }: DateLineProps) {
  const now = useNowMs();
  const isSoon = Date.parse(at) - now < SOON_MS;
  return (
    <span className="soft">
      <time dateTime={at}>{format(formatTime(at, 'dateTime', zone))}</time>{' '}
      <span className={isSoon ? 'due-soon' : undefined}>({sayHowSoon(at, zone, now)})</span>
    </span>
  );
}

/** The whole card links to the recorder, so that it is easy to tap on a phone. */
function TaskCard({ task }: { task: HomeTask }) {
  const organizationZone = useZone();
  const { recipient, touchpoint, appointment, deadline, state, record_url } = task;
  const zone = appointment?.timezone ?? organizationZone;
  return (
    <a className="card task" href={pathOf(record_url)}>
      <span className="grid gap-4 task-text">
        <span className="bold">{formatName(recipient)}</span>
        {touchpoint !== null && <span className="soft">{touchpoint}</span>}
        {appointment !== null && <DateLine at={appointment.starts_at} zone={zone} format={HOME.appointment} />}
        {deadline !== null && differsFromAppointment(deadline, appointment) && (
          <DateLine at={deadline} zone={zone} format={HOME.until} />
        )}
        <TaskStatus task={task} />
      </span>
      <span className={buttonClass(state === 'processing' ? 'quiet' : 'primary', false)}>
        <Icon name="video" />
        {ACTIONS[state]}
      </span>
    </a>
  );
}

export const Tasks = ({ tasks }: { tasks: readonly HomeTask[] }) => (
  <ol className="grid gap-16">
    {tasks.map((task) => (
      <li key={task.id}>
        <TaskCard task={task} />
      </li>
    ))}
  </ol>
);
