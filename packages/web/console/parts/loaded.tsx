import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState } from './error-state.tsx';
import { SkeletonRows } from './skeleton.tsx';

interface LoadedProps<T> {
  query: UseQueryResult<T, Error>;
  /** Shown while nothing has come yet; rows by default. */
  bones?: ReactNode;
  children: (loaded: T) => ReactNode;
}

/** What a query brought, or the bones, or what went wrong. What came once stays while it is read again. */
export function Loaded<T>({ query, bones, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError)
    return <ErrorState error={query.error} retry={() => void query.refetch()} busy={query.isFetching} />;
  return bones ?? <SkeletonRows />;
}
