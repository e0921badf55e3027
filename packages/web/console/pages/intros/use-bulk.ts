import type { BulkAction, BulkResult } from '@foreword/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call } from '../../api.ts';
import { refresh } from '../../queries.ts';

/** Small, so that the progress moves and a stop takes effect soon. The server allows more. */
const CHUNK = 10;

export interface BulkRequest {
  readonly action: BulkAction;
  readonly ids: readonly string[];
  readonly member?: string;
}

export interface BulkRun {
  readonly state: 'idle' | 'running' | 'ended';
  readonly results: readonly BulkResult[];
  readonly total: number;
  /** Why the last request failed. The intros without a result were not changed, or it is unknown. */
  readonly error: unknown;
  /** Continues with the intros that have no result yet. */
  start(request: BulkRequest): Promise<readonly BulkResult[] | null>;
  /** Ends after the request in flight. */
  stop(): void;
}

/** Sends the intros in small requests, one after the other. */
export function useBulk(): BulkRun {
  const queries = useQueryClient();
  const [state, setState] = useState<BulkRun['state']>('idle');
  const [results, setResults] = useState<readonly BulkResult[]>([]);
  const [total, setTotal] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const isStopped = useRef(false);

  async function sendAll({ action, ids, member }: BulkRequest): Promise<readonly BulkResult[]> {
    let found = results;
    const left = ids.filter((id) => !found.some((result) => result.id === id));
    for (let at = 0; at < left.length && !isStopped.current; at += CHUNK) {
      const body = { action, ids: left.slice(at, at + CHUNK), ...(member !== undefined && { member }) };
      const response = await call('POST /intros/bulk', { body });
      found = [...found, ...response.results];
      setResults(found);
    }
    return found;
  }

  return {
    ...{ state, results, total, error },
    async start(request) {
      isStopped.current = false;
      setError(null);
      setTotal(request.ids.length);
      setState('running');
      try {
        const found = await sendAll(request);
        setState('ended');
        return found;
      } catch (reason) {
        setError(reason);
        setState('ended');
        return null;
      } finally {
        for (const topic of ['intros', 'outbox']) void refresh(queries, topic);
      }
    },
    stop() {
      isStopped.current = true;
    },
  };
}
