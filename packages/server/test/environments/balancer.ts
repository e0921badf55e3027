import { type Service, sleep } from '../harness/index.ts';

const CHECK_INTERVAL_MS = 50;
const NO_NODE_WITHIN_MS = 10_000;
/** Stands for a response that did not arrive. */
const CONNECTION_LOST = 599;

export interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

interface Backend {
  readonly service: Service;
  isReady: boolean;
  isStopping: boolean;
}

/** Sends requests to the nodes that are ready in turn, like a load balancer that checks /readyz. */
export interface Balancer {
  /** Retried on another node when the chosen one was stopping; any other failure is recorded as a problem. */
  request(path: string, init?: RequestInit): Promise<Response>;
  add(node: Service): void;
  /** Stops the node like an operator; returns its exit code. */
  stop(node: Service): Promise<number | null>;
  /** Responses that no client should ever get. */
  readonly problems: string[];
  /** How many requests each node answered. */
  readonly answered: Map<Service, number>;
  close(): Promise<void>;
}

const isFailure = ({ status }: Response) => status >= 500;

async function send(backend: Backend, path: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(backend.service.url + path, { redirect: 'manual', ...init });
    return { status: response.status, headers: response.headers, body: await response.text() };
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    return { status: CONNECTION_LOST, headers: new Headers(), body: String(cause ?? error) };
  }
}

export function openBalancer(): Balancer {
  const backends: Backend[] = [];
  const problems: string[] = [];
  const answered = new Map<Service, number>();
  let turn = 0;
  let isOpen = true;

  const checking = (async () => {
    while (isOpen) {
      await Promise.all(
        backends.map(async (backend) => {
          backend.isReady = (await send(backend, '/readyz', {})).status === 200;
        }),
      );
      await sleep(CHECK_INTERVAL_MS);
    }
  })();

  async function choose(): Promise<Backend> {
    for (let waitedMs = 0; waitedMs < NO_NODE_WITHIN_MS; waitedMs += CHECK_INTERVAL_MS) {
      const ready = backends.filter(({ isReady }) => isReady);
      const chosen = ready[turn++ % Math.max(1, ready.length)];
      if (chosen !== undefined) return chosen;
      await sleep(CHECK_INTERVAL_MS);
    }
    throw new Error('no node is ready');
  }

  return {
    problems,
    answered,
    add: (service) => backends.push({ service, isReady: false, isStopping: false }),
    async request(path, init = {}) {
      for (;;) {
        const backend = await choose();
        const response = await send(backend, path, init);
        if (!isFailure(response)) {
          answered.set(backend.service, (answered.get(backend.service) ?? 0) + 1);
          return response;
        }
        if (!backend.isStopping) {
          problems.push(`${init.method ?? 'GET'} ${path}: ${response.status} ${response.body}`);
          return response;
        }
        await sleep(CHECK_INTERVAL_MS);
      }
    },
    async stop(node) {
      const index = backends.findIndex(({ service }) => service === node);
      const backend = backends[index];
      if (backend === undefined) throw new Error('the balancer does not know this node');
      backend.isStopping = true;
      const code = await node.stop();
      backends.splice(index, 1);
      return code;
    },
    async close() {
      isOpen = false;
      await checking;
    },
  };
}
