import type { Config } from '../../config.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const ANSWER_LIMIT_MS = 3_000;
/** Addresses that mean "every one of this machine", by one that can be asked. */
const REACHABLE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

interface Readiness {
  readonly status: string;
  readonly checks: Readonly<Record<string, string>>;
}

type Answer = 'silence' | 'something else' | Readiness;

function localUrl({ host, port }: Config): string {
  const name = REACHABLE[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function readReadiness(text: string): Answer {
  try {
    const { status, checks } = JSON.parse(text) as Partial<Readiness>;
    return typeof status === 'string' && typeof checks === 'object' ? { status, checks } : 'something else';
  } catch {
    return 'something else';
  }
}

async function ask(url: string): Promise<Answer> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS), redirect: 'manual' });
    return readReadiness(await response.text());
  } catch {
    return 'silence';
  }
}

function judgeLocal(url: string, answer: Answer): Finding {
  const name = 'service';
  if (answer === 'silence') return warning(name, `Not running: nothing answers at ${url}.`, 'Start it with npm start.');
  if (answer === 'something else') {
    return problem(name, `Another program answers at ${url}.`, 'Stop it, or set PORT to a free one.');
  }
  if (answer.status === 'ready') return ok(name, `Runs and is ready at ${url}.`);
  const failing = Object.entries(answer.checks).filter(([, state]) => state !== 'ok');
  const which = failing.map(([part]) => part).join(', ');
  return warning(
    name,
    `Runs at ${url} and is ${answer.status}${which === '' ? '' : `: ${which} failing`}.`,
    'Wait a moment and ask again; if it stays, read its log.',
  );
}

/** What recipients and members open; it may lead here by way of a proxy. */
async function checkPublic(config: Config): Promise<Finding> {
  const name = 'public address';
  const answer = await ask(config.publicUrl);
  if (typeof answer === 'object') return ok(name, `${config.publicUrl} leads to the service.`);
  return warning(
    name,
    `${config.publicUrl} (PUBLIC_URL) does not lead to the service: ${answer === 'silence' ? 'nothing' : 'something else'} answers there.`,
    'Look at the proxy and the name, or set PUBLIC_URL: links are made from it.',
  );
}

export async function checkServer(config: Config): Promise<Finding[]> {
  const url = localUrl(config);
  const answer = await ask(url);
  const here = judgeLocal(url, answer);
  const isElsewhere = config.publicUrl !== `http://${config.host}:${config.port}` && config.publicUrl !== url;
  return isElsewhere && typeof answer === 'object' ? [here, await checkPublic(config)] : [here];
}
